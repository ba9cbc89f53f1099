import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct RedirectLeakTests {
    private static let codes = [301, 302, 303, 307, 308]

    /// From where to where, and whether it is the same origin.
    private static let moves: [(base: String, target: String, isSame: Bool)] = [
        ("https://tides.test", "/next", true),
        ("https://tides.test", "https://TIDES.test.:443/next", true),
        ("https://tides.test", "https://evil.test/next", false),
        ("https://tides.test", "//evil.test/next", false),
        ("https://tides.test", "https://tides.test:8443/next", false),
        ("http://tides.test", "https://tides.test/next", false),
        ("https://tides.test", "https://sub.tides.test/next", false),
        ("https://tides.test", "https://tides.test.evil.test/next", false),
        ("https://tides.test", "https://[::1]/next", false),
        ("https://tides.test", "https://127.0.0.1/next", false),
    ]

    @Test(arguments: codes, CarriedSecret.allCases)
    func `a secret reaches no origin but its own, nor a log, nor an event`(code: Int, canary: CarriedSecret)
        async throws
    {
        for (base, target, isSame) in Self.moves {
            for method in [HTTPMethod.get, .post, .put] {
                let bench = try Bench(
                    .status(code, headers: ["Location": target]), .json(tideJSON), base: base, auth: canary.auth,
                    options: canary.options())
                let body = method == .get ? nil : UploadBody.bytes(Data("x".utf8))
                let answer = try await bench.client.raw(
                    method, "/a\(canary.query)", headers: canary.headers, body: body)
                #expect(answer.head.status == 200)
                let requests = bench.transport.requests
                try #require(requests.count == 2)
                #expect(CarriedSecret.shows(in: requests[0]))
                // What the caller put into the query belongs to that URL.
                #expect(CarriedSecret.shows(in: requests[1]) == (isSame && canary != .ownQuery), "\(target)")
                #expect(bench.logs.lines.allSatisfy { !CarriedSecret.shows(in: $0) })
                #expect(bench.events.all.allSatisfy { !CarriedSecret.shows(in: "\($0)") })
            }
        }
    }

    @Test(
        arguments: CarriedSecret.allCases,
        [
            "https://evil.test/next?k=CANARY-7f3a", "https://evil.test/CANARY-7f3a/x",
            "https://CANARY-7f3a.evil.test/", "https://evil.test/?k=%43ANARY%2D7f3a", "https://evil.test/?canary-7F3A",
            "//evil.test/#x?CANARY-7f3a", "https://ann" + ":CANARY-7f3a@tides.test/", "http://tides.test/CANARY-7f3a",
            "https://evil.test:CANARY-7f3a/", "canary-7f3a://x", "https://tides.test:8443/?a=b&k=CANARY-7f3a",
        ])
    func `a Location that echoes a secret does not carry it elsewhere`(canary: CarriedSecret, location: String)
        async throws
    {
        let bench = try Bench(
            .status(302, headers: ["Location": location]), .json(tideJSON), base: "https://tides.test",
            auth: canary.auth, options: canary.options())
        var failure: NetworkError?
        do { _ = try await bench.client.raw(.get, "/a\(canary.query)", headers: canary.headers) } catch {
            failure = error
        }
        // A fragment is not sent, so that one may be followed.
        #expect((failure == nil) == location.contains("#"))
        #expect(bench.transport.requests.dropFirst().allSatisfy { !CarriedSecret.shows(in: $0) })
        let texts = bench.events.all.map { "\($0)" } + [failure.map { "\($0) \($0.kind)" } ?? ""]
        #expect(texts.allSatisfy { !$0.lowercased().contains("canary-7f3a") })
        #expect(bench.logs.lines.allSatisfy { !CarriedSecret.shows(in: $0) })
    }

    @Test func `a path of the same origin may hold a secret, and no event or log shows it`() async throws {
        let bench = try Bench(
            .status(302, headers: ["Location": "/s/\(CarriedSecret.text)/x"]), .json(tideJSON),
            auth: CarriedSecret.bearer.auth)
        _ = try await bench.client.raw(.get, "/a")
        #expect(bench.transport.requests[1].url.path == "/s/\(CarriedSecret.text)/x")
        #expect(bench.events.kinds.contains(.redirected(status: 302, to: "http://tides.test/s/<redacted>/x")))
        #expect(bench.logs.lines.allSatisfy { !CarriedSecret.shows(in: $0) })
        #expect(bench.events.all.allSatisfy { !CarriedSecret.shows(in: "\($0)") })
    }

    @Test func `a key that its own origin echoes is sent once`() async throws {
        let bench = try Bench(
            .status(302, headers: ["Location": "/b?key=\(CarriedSecret.text)&day=1"]), .json(tideJSON),
            auth: CarriedSecret.keyQuery.auth)
        _ = try await bench.client.raw(.get, "/a?day=1")
        #expect(
            bench.transport.requests.map(\.url.query) == [
                "day=1&key=\(CarriedSecret.text)", "day=1&key=\(CarriedSecret.text)",
            ])
    }

    @Test(arguments: CarriedSecret.allCases)
    func `a redirect back to the first origin does not restore removed fields`(canary: CarriedSecret) async throws {
        let bench = try Bench(
            .status(307, headers: ["Location": "https://evil.test/"]),
            .status(307, headers: ["Location": "https://tides.test/again"]), .json(tideJSON),
            base: "https://tides.test", auth: canary.auth, options: canary.options())
        _ = try await bench.client.raw(.get, "/a\(canary.query)", headers: canary.headers)
        let shown = bench.transport.requests.map { CarriedSecret.shows(in: $0) }
        // The client's own credential belongs to its origin and is attached there anew.
        #expect(shown == [true, false, CarriedSecret.ofTheClient.contains(canary)])
    }

    @Test(arguments: codes)
    func `a trusted origin gets the credential of the client and none of the caller`(code: Int) async throws {
        let mirror = try HTTPURL("https://mirror.test").origin
        let bench = try Bench(
            .status(code, headers: ["Location": "https://mirror.test/x"]), .json(tideJSON), base: "https://tides.test",
            auth: .bearer(FakeTokens("fresh")), options: ClientOptions(trustedOrigins: [mirror], coalescesReads: false))
        _ = try await bench.client.raw(
            .get, "/a",
            headers: ["Authorization": "Bearer \(CarriedSecret.text)", "X-Api-Key": CarriedSecret.text, "X-Team": "n"])
        let request = bench.transport.requests[1]
        #expect(!CarriedSecret.shows(in: request))
        #expect(request.headers["Authorization"] == "Bearer fresh")
        #expect(request.headers["X-Team"] == "n")
    }

    @Test func `harmless fields go along, unknown ones stay`() async throws {
        let bench = try Bench(.status(302, headers: ["Location": "https://evil.test/"]), .json(tideJSON))
        _ = try await bench.client.raw(
            .get, "/a", headers: ["Accept": "text/plain", "Range": "bytes=0-1", "X-Team": "north", "Referer": "/?q"])
        let headers = bench.transport.requests[1].headers
        #expect(headers["Accept"] == "text/plain")
        #expect(headers["Range"] == "bytes=0-1")
        #expect(headers["User-Agent"] == ClientOptions.userAgent)
        #expect(headers["X-Team"] == nil)
        #expect(headers["Referer"] == nil)
    }

    @Test func `a known secret in a harmless field stays too`() async throws {
        let bench = try Bench(
            .status(302, headers: ["Location": "https://evil.test/"]), .json(tideJSON), auth: CarriedSecret.bearer.auth)
        _ = try await bench.client.raw(.get, "/a", headers: ["User-Agent": "x/\(CarriedSecret.text)"])
        #expect(!CarriedSecret.shows(in: bench.transport.requests[1]))
    }

    @Test(arguments: [
        "Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "apikey", "X-Auth-Token", "X-Access-Token",
        "X-Amz-Security-Token", "PRIVATE-TOKEN", "Ocp-Apim-Subscription-Key", "X-Vault-Token", "X-CSRF-Token",
        "X-XSRF-TOKEN", "X-Session-Id", "X-JWT-Assertion", "X-Hub-Signature", "X-Client-Secret", "X-Password", "X-OTP",
        "DPoP", "X-Bearer", "Authentication", "X-Goog-Api-Key", "X_API_KEY",
    ])
    func `fields of these names count as credentials`(name: String) {
        let fields: HeaderFields = [name: "abcdef", "Accept": "x", "Idempotency-Key": "k"]
        #expect(fields.withoutCredentials().map(\.name).sorted() == ["Accept", "Idempotency-Key"])
        #expect(fields.forForeignOrigin()[name] == nil)
    }
}
