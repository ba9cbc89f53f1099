import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

/// A request, a response and a second request. Fields are written `Name: value | Name: value`; a value `@-60` is the HTTP
/// date so many seconds from the start of the test.
struct HTTPCacheScenario: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable, Hashable {
        /// From the cache, without a request.
        case hit
        /// After a revalidation that confirmed the stored response.
        case validated
        /// From the origin, as if nothing were stored.
        case fetched
        /// Neither stored nor asked for.
        case gatewayTimeout
    }

    let testDescription: String
    private let send: @Sendable (CacheBench) async throws -> Void

    /// - Parameters:
    ///   - between: A method that is sent between the two requests.
    ///   - after: Seconds between them.
    ///   - confirms: Whether the origin confirms the stored response.
    init(
        _ name: String, status: Int = 200, _ response: String, firstMethod: String = "GET", first: String = "",
        between: String? = nil, betweenStatus: Int = 200, after: Int = 0, method: String = "GET", second: String = "",
        confirms: Bool = true, _ outcome: Outcome
    ) {
        testDescription = name
        send = { bench in
            bench.origin.append(.status(status, headers: Self.fields(response), body: "A"))
            if between != nil { bench.origin.append(.status(betweenStatus, body: "X")) }
            bench.origin.append(
                ScriptedTransport.Answer { request in
                    let condition = request.headers["If-None-Match"] ?? request.headers["If-Modified-Since"]
                    guard confirms, condition != nil else {
                        return .init(.init(status: 200), body: .init(Data("B".utf8)))
                    }
                    return .init(.init(status: 304))
                })
            try await bench.send(
                firstMethod, CacheBench.url, Self.fields(first), body: firstMethod == "POST" ? "x" : nil)
            bench.wait(after)
            if let between { try await bench.send(between, body: "x") }
            let asked = bench.asked
            let got = try await bench.send(method, CacheBench.url, Self.fields(second))
            let actual: Outcome =
                switch (bench.asked - asked, got.status) {
                case (0, 504): .gatewayTimeout
                case (0, _): .hit
                default: got.body == "B" ? .fetched : .validated
                }
            #expect(actual == outcome)
            let isStored = outcome == .hit || outcome == .validated
            if isStored, method == "GET", got.status == status { #expect(got.body == "A") }
        }
    }

    func run(_ mode: CacheMode) async throws { try await send(CacheBench(mode)) }

    private static func fields(_ text: String) -> HeaderFields {
        let fields = text.split(separator: " | ").map { part in
            let pair = part.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return HeaderFields.Field(pair[0], pair[1])
        }
        return resolved(HeaderFields(fields))
    }

    /// With dates in place of `@seconds`.
    static func resolved(_ headers: HeaderFields) -> HeaderFields {
        HeaderFields(
            headers.map { field in
                let seconds = field.value.hasPrefix("@") ? Double(field.value.dropFirst()) : nil
                let date = seconds.map { HTTPDate.string(from: clockStart.addingTimeInterval($0)) }
                return HeaderFields.Field(field.name, date ?? field.value)
            })
    }
}
