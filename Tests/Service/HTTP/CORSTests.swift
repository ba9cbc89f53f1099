import Foundation
import HTTPTypes
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataService

/// The CORS protocol of the Fetch standard, through all middlewares.
@Suite struct `Pages of other origins` {
    private static let app = "https://app.example.org"
    private static let list = "\(app),http://localhost:5173"
    private static let preflightVary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"
    private static let everyMethod = "GET, HEAD, POST, PUT, PATCH, DELETE"

    /// One request, and what its response must have.
    struct Case: Sendable, CustomTestStringConvertible {
        var setting: String
        var method = HTTPRequest.Method.get
        var path = "/open"
        var origin: String?
        /// `Access-Control-Request-Method`.
        var asks: String?
        var bodyBytes = 0
        /// Whether the service is at another host than the request.
        var isElsewhere = false
        var status = 200
        /// `Access-Control-Allow-Origin`.
        var allowed: String?
        /// `Access-Control-Allow-Methods`.
        var methods: String?
        var vary: String?

        var testDescription: String {
            "\(method.rawValue) \(path) from \(origin ?? "none") for \(asks ?? "none"), setting '\(setting)', \(status)"
        }
    }

    private static let simple: [Case] =
        [app, "http://localhost:5173"].map { Case(setting: list, origin: $0, allowed: $0, vary: "Origin") }
        + [
            nil, "null", "https://evil.example", "http://app.example.org", "\(app):443", "\(app)/",
            "\(app).evil.example",
            "https://APP.example.org", "*",
        ].map { Case(setting: list, origin: $0, vary: "Origin") }
        + [nil, "null", app].map { Case(setting: "*", origin: $0, allowed: "*") }
        + [nil, app].map { Case(setting: "", origin: $0) }

    private static let failures: [Case] = [
        Case(setting: list, path: "/v1/notes", origin: app, status: 401, allowed: app, vary: "Origin"),
        Case(setting: list, path: "/nowhere", origin: app, status: 404, allowed: app, vary: "Origin"),
        Case(setting: list, method: .put, origin: app, status: 405, allowed: app, vary: "Origin"),
        Case(
            setting: list, method: .post, path: "/v1/forms", origin: app, bodyBytes: 5000, status: 413, allowed: app,
            vary: "Origin"),
        Case(setting: list, origin: app, isElsewhere: true, status: 421, allowed: app, vary: "Origin"),
        Case(setting: list, path: "/v1/fail/bug", origin: app, status: 500, allowed: app, vary: "Origin"),
        Case(setting: list, path: "/v1/fail/away", origin: app, status: 503, allowed: app, vary: "Origin"),
        Case(setting: "*", path: "/v1/fail/away", origin: app, status: 503, allowed: "*"),
        Case(setting: list, path: "/v1/fail/away", origin: "https://evil.example", status: 503, vary: "Origin"),
    ]

    private static let preflights: [Case] = [
        Case(
            setting: list, method: .options, path: "/v1/notes/1", origin: app, asks: "PUT", status: 204, allowed: app,
            methods: "DELETE, GET, HEAD, PUT", vary: preflightVary),
        Case(
            setting: "*", method: .options, path: "/v1/notes", origin: app, asks: "GET", status: 204, allowed: "*",
            methods: "GET, HEAD, POST", vary: preflightVary),
        Case(
            setting: list, method: .options, path: "/nowhere", origin: app, asks: "PUT", status: 204, allowed: app,
            methods: everyMethod, vary: preflightVary),
        Case(
            setting: list, method: .options, path: "/%", origin: app, asks: "PUT", status: 204, allowed: app,
            methods: everyMethod, vary: preflightVary),
        Case(
            setting: list, method: .options, path: "/v1/notes", origin: "https://evil.example", asks: "POST",
            status: 204,
            vary: preflightVary),
        Case(
            setting: list, method: .options, origin: app, asks: "GET", isElsewhere: true, status: 421, allowed: app,
            vary: preflightVary),
        Case(setting: list, method: .options, origin: app, status: 405, allowed: app, vary: "Origin"),
        Case(setting: list, method: .options, asks: "GET", status: 405, vary: "Origin"),
        Case(setting: "", method: .options, origin: app, asks: "GET", status: 405),
    ]

    @Test(arguments: simple + failures + preflights)
    func `a response has the fields of its origin`(_ expected: Case) async throws {
        let origins = try CORSOrigins(expected.setting)
        try await withService(configure: {
            $0.corsOrigins = origins
            $0.limits.maxBody = 4000
            if expected.isElsewhere {
                $0.address = ServiceAddress(publicURL: PublicURL("https://tides.example"), host: "127.0.0.1", port: 0)
            }
        }) { _, client in
            var headers: HTTPFields = [:]
            headers[.origin] = expected.origin
            headers[.accessControlRequestMethod] = expected.asks
            let body = expected.bodyBytes > 0 ? Data(repeating: 0x20, count: expected.bodyBytes) : nil
            let reply = try await client.send(expected.method, expected.path, as: nil, headers: headers, body: body)
            #expect(reply.status == expected.status)
            if expected.status >= 400 { _ = try reply.problem() }

            #expect(reply.headers[.accessControlAllowOrigin] == expected.allowed)
            #expect(reply.headers[.vary] == expected.vary)
            #expect(reply.headers[.accessControlAllowMethods] == expected.methods)
            #expect((reply.headers[.accessControlAllowHeaders] != nil) == (expected.methods != nil))
            #expect(reply.headers[.accessControlMaxAge] == expected.methods.map { _ in "600" })
            let isReadable = expected.allowed != nil && expected.methods == nil
            #expect((reply.headers[.accessControlExposeHeaders] != nil) == isReadable)
            #expect(reply.headers[.accessControlAllowCredentials] == nil)
        }
    }

    @Test func `a preflight is not counted, and a page can read that its requests are too many`() async throws {
        let origins = try CORSOrigins(Self.list)
        try await withService(configure: {
            $0.corsOrigins = origins
            $0.limits.rates.address = RateLimit(burst: 1, perSecond: 0.001)
            $0.clock = ManualClock()
        }) { _, client in
            for _ in 0..<3 {
                let preflight = try await client.send(
                    .options, "/open", as: nil, headers: [.origin: Self.app, .accessControlRequestMethod: "GET"])
                #expect(preflight.status == 204 && preflight.headers[.rateLimit] == nil)
            }
            #expect(try await client.send(.get, "/open", as: nil, headers: [.origin: Self.app]).status == 200)
            let refusal = try await client.send(.get, "/open", as: nil, headers: [.origin: Self.app])
            #expect(try refusal.problem().code == "rate_limited")
            #expect(refusal.headers[.accessControlAllowOrigin] == Self.app)
            #expect(refusal.headers[.accessControlExposeHeaders]?.contains("Retry-After") == true)
        }
    }

    @Test func `a page may read every field that responses have for it`() async throws {
        let origins = try CORSOrigins(Self.app)
        try await withService(configure: { $0.corsOrigins = origins }) { _, client in
            let from: HTTPFields = [.origin: Self.app]
            let keyed: HTTPFields = [.origin: Self.app, .idempotencyKey: "k"]
            let note = #"{"text":"a","level":1}"#
            let created = try await client.send(.post, "/v1/notes", headers: keyed, json: note)
            #expect(
                try await client.send(.post, "/v1/notes", headers: from, json: #"{"text":"b","level":1}"#).status == 201
            )
            let replies = [
                created, try await client.send(.post, "/v1/notes", headers: keyed, json: note),
                try await client.send(.get, "/v1/notes?limit=1", headers: from),
                try await client.send(.get, "/v1/notes", as: nil, headers: from),
                try await client.send(.put, "/open", headers: from), try await client.send(.get, "/", headers: from),
                try await client.send(.get, "/v1/fail/away", headers: from),
            ]
            // Safelisted by the standard, or of no use to a page.
            let others = [
                "cache-control", "content-length", "content-type", "date", "vary", "x-content-type-options",
                "access-control-allow-origin", "access-control-expose-headers",
            ]
            let sent = Set(replies.flatMap(\.headers).map(\.name.canonicalName)).subtracting(others)
            let exposed = Set(
                try #require(created.headers[.accessControlExposeHeaders]).lowercased().split(separator: ", ").map(
                    String.init))
            #expect(sent.subtracting(exposed).isEmpty)
            for name in [
                "etag", "link", "location", "retry-after", "ratelimit", "ratelimit-policy", "x-request-id", "allow",
                "idempotency-replayed", "www-authenticate",
            ] {
                #expect(sent.contains(name) && exposed.contains(name), "\(name)")
            }
        }
    }

    /// An endpoint with a field of its own.
    private struct ShowTide: RoutedEndpoint {
        static let route = Route.get("/v1/tide")
        typealias Response = EchoPayload
        @Header var tideTable: String?
        @Header var secFetchSite: String?
    }

    @Test func `a page may send the fields that endpoints read, each by its name`() throws {
        var routes = APIRoutes()
        routes.handle(ShowTide.self, for: .anyone) { call, _ in EchoPayload(text: call.tideTable ?? "") }
        let middleware = try #require(CORSMiddleware(try CORSOrigins("*"), endpoints: routes.mounted))
        let names = Set(middleware.requestFields.split(separator: ", ").map(String.init))
        #expect(
            names.isSuperset(of: [
                "Authorization", "X-API-Key", "Content-Type", "If-Match", "If-None-Match", "Idempotency-Key", "Range",
                "Tide-Table",
            ]))
        #expect(!names.contains("*") && !names.contains("Sec-Fetch-Site"))
    }

    @Test(arguments: ["/docs", "/docs/viewer.js"])
    func `the page at docs differs by Vary alone`(path: String) async throws {
        let origins = try CORSOrigins(Self.list)
        let own = Mutex<Reply?>(nil)
        try await withService { _, client in
            let reply = try await client.send(.get, path, as: nil)
            own.withLock { $0 = reply }
        }
        var plain = try #require(own.withLock { $0 })
        plain.headers[.vary] = plain.headers[.vary].map { "\($0), Origin" } ?? "Origin"
        plain.headers[.xRequestId] = nil
        let expected = plain
        try await withService(configure: { $0.corsOrigins = origins }) { _, client in
            var reply = try await client.send(.get, path, as: nil)
            reply.headers[.xRequestId] = nil
            #expect(Set(reply.headers) == Set(expected.headers))
            #expect(reply.body == expected.body)
        }
    }

    @Test func `a preflight and its request pass over one connection`() async throws {
        let origins = try CORSOrigins(Self.list)
        try await withLiveService(configure: { $0.corsOrigins = origins }) { _, live in
            let answer = try await RawConnection.exchange(
                "OPTIONS /v1/notes HTTP/1.1\r\nHost: a\r\nOrigin: \(Self.app)\r\n"
                    + "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization,content-type\r\n"
                    + "Access-Control-Request-Private-Network: true\r\n\r\n"
                    + "POST /v1/notes HTTP/1.1\r\nHost: a\r\nOrigin: \(Self.app)\r\nAuthorization: Bearer anna\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 22\r\nConnection: close\r\n\r\n"
                    + "{\"text\":\"a\",\"level\":1}", port: live.port)
            let parts = answer.lowercased().components(separatedBy: "http/1.1 ").dropFirst().map { $0 }
            #expect(parts.count == 2, "\(answer)")
            let (preflight, response) = (try #require(parts.first), try #require(parts.last))
            #expect(preflight.hasPrefix("204 ") && !preflight.contains("\r\ncontent-length:"))
            #expect(preflight.contains("\r\naccess-control-allow-origin: \(Self.app)\r\n"))
            #expect(preflight.contains("\r\naccess-control-allow-methods: get, head, post\r\n"))
            #expect(!preflight.contains("private-network") && !preflight.contains("credentials"))
            #expect(response.hasPrefix("201 "))
            #expect(response.contains("\r\naccess-control-allow-origin: \(Self.app)\r\n"))
        }
    }

    @Test(arguments: [
        "Origin: \(app)\r\nOrigin: https://evil.example", "Origin: https://evil.example\r\nOrigin: \(app)",
        "Origin: \(app)\r\nOrigin: \(app)", "Origin: \(app), \(app)", "Origin: \(app) https://evil.example",
        "Origin: \(app)\r\n https://evil.example", "Origin: \(app)\u{0}", "Origin: \(app)\u{85}", "Origin:",
        "Origin: https://" + String(repeating: "a", count: 8192),
    ])
    func `a hostile origin gets no CORS field`(_ fields: String) async throws {
        let origins = try CORSOrigins(Self.list)
        try await withLiveService(configure: { $0.corsOrigins = origins }) { _, live in
            // In Latin-1, so that a character above 127 is a byte that is not UTF-8.
            let bytes = fields.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            for (method, more) in [("GET", ""), ("OPTIONS", "Access-Control-Request-Method: GET\r\n")] {
                let answer = try await RawConnection.exchange(
                    Array("\(method) /open HTTP/1.1\r\nHost: a\r\n\(more)".utf8) + bytes
                        + Array("\r\nConnection: close\r\n\r\n".utf8), port: live.port)
                #expect(answer.hasPrefix("HTTP/1.1 "), "\(answer)")
                #expect(!answer.lowercased().contains("access-control-allow-"), "\(answer)")
            }
        }
    }
}
