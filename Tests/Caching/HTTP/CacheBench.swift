import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

/// The cache in a pipeline of its own, before an origin that answers from a script.
struct CacheBench: Sendable {
    struct Got: Sendable {
        var status: Int
        var headers: HeaderFields
        var body: String
        /// What the cache says it did.
        var said: String { headers.values("Cache-Status").last ?? "" }
        var isHit: Bool { said.contains("; hit") }
    }

    static let url = "http://tides.example/bar?station=BAR7"

    let clock = ManualWallClock()
    let store: MemoryHTTPCacheStore
    let origin: ScriptedTransport
    let cache: HTTPCacheInterceptor
    let pipeline: Pipeline

    /// - Parameter principal: Of every call; default the request field `Person`.
    init(
        _ mode: CacheMode = .private, _ answers: ScriptedTransport.Answer..., rules: CacheRules? = nil,
        then fallback: ScriptedTransport.Answer? = nil, entryLimit: Int = 1 << 20, store: MemoryHTTPCacheStore? = nil,
        principal: @escaping HTTPCacheInterceptor.Principal = { $0.headers["Person"] }
    ) {
        self.store = store ?? MemoryHTTPCacheStore()
        origin = ScriptedTransport(then: fallback)
        for answer in answers { origin.append(answer) }
        cache = HTTPCacheInterceptor(
            store: self.store,
            options: HTTPCacheOptions(rules: rules ?? CacheRules(mode: mode), entryLimit: entryLimit),
            wallClock: clock, timer: ManualClock(), principal: principal)
        pipeline = Pipeline([cache], transport: origin)
    }

    /// An HTTP date so many seconds from now.
    func date(_ seconds: Double = 0) -> String { HTTPDate.string(from: clock.now.addingTimeInterval(seconds)) }

    func wait(_ seconds: Int) { clock.advance(by: .seconds(seconds)) }

    static func request(
        _ method: String = "GET", _ url: String = url, _ headers: HeaderFields = [:], body: String? = nil
    ) throws -> ClientRequest {
        let context = CallContext(
            requestId: "r", summary: method, deadline: Deadline(in: .seconds(60), on: MonotonicTime(ManualClock())))
        return ClientRequest(
            try #require(HTTPMethod(rawValue: method)), try HTTPURL(url), headers: headers,
            body: body.map { .bytes(Data($0.utf8)) }, context: context)
    }

    @discardableResult
    func get(_ headers: HeaderFields = [:], _ url: String = url) async throws -> Got {
        try await send("GET", url, headers)
    }

    @discardableResult
    func send(
        _ method: String, _ url: String = url, _ headers: HeaderFields = [:], body: String? = nil
    ) async throws -> Got {
        try await pipeline.send(Self.request(method, url, headers, body: body)) { response in
            let bytes = try await response.body.collect(upTo: 1 << 24)
            return Got(
                status: response.head.status, headers: response.head.headers,
                body: String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Requests that reached the origin.
    var asked: Int { origin.requests.count }
    func asked(_ field: String, at index: Int? = nil) -> String? {
        origin.requests.isEmpty ? nil : origin.requests[index ?? origin.requests.count - 1].headers[field]
    }
}

extension ScriptedTransport.Answer {
    static func ok(_ body: String = "tide", _ headers: HeaderFields = [:]) -> ScriptedTransport.Answer {
        .status(200, headers: headers, body: body)
    }

    static func fresh(_ body: String = "tide", for seconds: Int = 60) -> ScriptedTransport.Answer {
        .ok(body, ["Cache-Control": "max-age=\(seconds)"])
    }

    static func notModified(_ headers: HeaderFields = [:]) -> ScriptedTransport.Answer {
        .status(304, headers: headers)
    }
}
