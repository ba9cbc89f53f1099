import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching

/// One case of another project's list: answers of an origin, two or more requests, and what the last of them is.
struct HTTPCacheScenario: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable, Hashable {
        /// From the cache, without a request.
        case hit
        /// After a validation that confirmed what is stored.
        case validated
        /// From the origin, as if nothing were stored.
        case fetched
        /// Neither stored nor asked for.
        case gatewayTimeout
    }

    /// Stands for an HTTP date so many seconds from the beginning: `@-60`.
    static func resolved(_ headers: HeaderFields, on bench: CacheBench) -> HeaderFields {
        var resolved = HeaderFields()
        for field in headers {
            let seconds = field.value.hasPrefix("@") ? Double(field.value.dropFirst()) : nil
            resolved.add(
                field.name, seconds.map { HTTPDate.string(from: clockStart.addingTimeInterval($0)) } ?? field.value)
        }
        return resolved
    }

    let name: String
    var mode = CacheMode.private
    var status = 200
    let response: HeaderFields
    var first: HeaderFields = [:]
    var second: HeaderFields = [:]
    var firstMethod = "GET"
    var method = "GET"
    /// Sent between the two.
    var between: String?
    var betweenStatus = 200
    /// Seconds between the two.
    var after = 0
    /// Whether the origin confirms what it is asked about.
    var confirms = true
    let outcome: Outcome

    var testDescription: String { name }

    func run() async throws {
        let bench = CacheBench(mode)
        let headers = Self.resolved(response, on: bench)
        bench.origin.append(.status(status, headers: headers, body: "A"))
        if between != nil { bench.origin.append(.status(betweenStatus, body: "X")) }
        let confirms = confirms
        bench.origin.append(
            ScriptedTransport.Answer { request in
                let isConditional = request.headers["If-None-Match"] ?? request.headers["If-Modified-Since"]
                guard confirms, isConditional != nil else {
                    return .init(.init(status: 200), body: .init(Data("B".utf8)))
                }
                return .init(.init(status: 304))
            })
        try await bench.send(
            firstMethod, CacheBench.url, Self.resolved(first, on: bench), body: firstMethod == "POST" ? "x" : nil)
        bench.wait(after)
        if let between { try await bench.send(between, body: "x") }
        let asked = bench.asked
        let got = try await bench.send(method, CacheBench.url, Self.resolved(second, on: bench))
        let actual: Outcome
        switch (bench.asked - asked, got.status) {
        case (0, 504): actual = .gatewayTimeout
        case (0, _): actual = .hit
        default: actual = got.body == "B" ? .fetched : .validated
        }
        #expect(actual == outcome)
        if outcome == .hit || outcome == .validated, method == "GET", got.status == status { #expect(got.body == "A") }
    }
}
