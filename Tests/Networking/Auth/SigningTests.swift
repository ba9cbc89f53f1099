import Crypto
import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataHTTP
import StrataTesting
import Testing

@testable import StrataNetworking

/// A signer sees each attempt, and its identity is that of the call.
struct SigningTests {
    private static let key = Secret("hunter2-key")

    private func hmac() -> HMACSigner {
        let (clock, count) = (Shared(0), Shared(0))
        return HMACSigner(
            identity: "key-1", key: Self.key, now: { "day \(clock.next())" }, nonce: { "n-\(count.next())" })
    }

    @Test func `each attempt has a fresh nonce, a fresh date and a signature of its own`() async throws {
        let bench = try Bench(
            .status(503), .json(tideJSON), auth: .signing(hmac()), resilience: .atOnce,
            options: ClientOptions(addsIdempotencyKeys: true))
        _ = try await bench.client.send(AddTide())
        let requests = bench.transport.requests
        try #require(requests.count == 2)
        #expect(requests.map { $0.headers["X-Nonce"] } == ["n-1", "n-2"])
        #expect(requests.map { $0.headers["Date"] } == ["day 1", "day 2"])
        for request in requests {
            let body = try #require(request.body?.bytes)
            #expect(
                request.headers["Content-Digest"]
                    == "sha-256=:\(Data(SHA256.hash(data: body)).base64EncodedString()):")
            let expected = HMACSigner.signature("POST", "/v1/tides", request.headers, Self.key)
            #expect(request.headers.values("X-Signature") == [expected])
        }
        #expect(requests[0].headers["X-Signature"] != requests[1].headers["X-Signature"])
    }

    /// "Create a signed AWS API request" in the IAM user guide: GET, service iam, action ListUsers.
    @Test func `a signer can make the documented signature of AWS`() async throws {
        let signer = SigV4Signer(
            accessKey: "AKIDEXAMPLE", secretKey: Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCY" + "EXAMPLEKEY"),
            region: "us-east-1", service: "iam", time: "20150830T123600Z")
        let bench = try Bench(.json(tideJSON), base: "https://iam.amazonaws.com", auth: .signing(signer))
        _ = try await bench.client.raw(
            .get, "/?Version=2010-05-08&Action=ListUsers",
            headers: ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"])
        let signature = "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
        #expect(
            bench.transport.requests.first?.headers["Authorization"]
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
                + "SignedHeaders=content-type;host;x-amz-date, Signature=\(signature)")
    }

    @Test(arguments: [("https://tides.test", "tides.test"), ("http://[::1]:8080", "[::1]:8080")])
    func `the host of a signature is the value that is sent`(base: String, host: String) throws {
        let url = try HTTPURL("\(base)/a")
        #expect(SigningRequest(.get, url).host == host)
    }

    // MARK: - The body

    @Test func `the digest is that of the bytes that are sent`() async throws {
        let bytes = Data("tide and time".utf8)
        let opened = Mutex(0)
        let stream = UploadBody.stream(length: nil, isReplayable: true) {
            opened.withLock { $0 += 1 }
            return ResponseBody(chunks: [bytes.prefix(3), Data(), bytes.dropFirst(3)])
        }
        let once = UploadBody.stream(length: 13, isReplayable: false) {
            Issue.record("a body that can be read once was opened for its digest")
            return ResponseBody(chunks: [bytes])
        }
        let expected = SHA256.hash(data: bytes).hex
        let url = try HTTPURL("https://tides.test/")
        #expect(try await SigningRequest(.put, url, body: .bytes(bytes)).body.digest()?.hex == expected)
        #expect(try await SigningRequest(.put, url, body: stream).body.digest()?.hex == expected)
        #expect(opened.withLock { $0 } == 1)
        #expect(try await SigningRequest(.put, url, body: once).body.digest() == nil)
        // SHA-256 of nothing.
        #expect(
            try await SigningRequest(.get, url).body.digest()?.hex
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test func `a body that cannot be opened for its digest fails the call, and nothing is sent`() async throws {
        let bench = try Bench(then: .json(tideJSON), auth: .signing(hmac()))
        let broken = UploadBody.stream(length: 1, isReplayable: true) {
            throw NetworkError(.storage("the file is gone"))
        }
        let error = await #expect(throws: NetworkError.self) {
            _ = try await bench.client.raw(.put, "/x", body: broken)
        }
        #expect(error?.kind == .storage("the file is gone"))
        #expect(bench.transport.requests.isEmpty)
    }

    // MARK: - Identity

    @Test(arguments: [("ann", "bob", false), ("ann", "ann", true)])
    func `equal reads share a response only within one identity`(first: String, second: String, isShared: Bool)
        async throws
    {
        let gate = Gate()
        let echo = ScriptedTransport.Answer { request in
            try await gate.wait()
            let name = request.headers["X-User-Signature"] ?? "unsigned"
            return ClientResponse(
                ResponseHead(status: 200, headers: ["Content-Type": "application/json"]),
                body: ResponseBody(Data(#"{"name":"\#(name)"}"#.utf8)))
        }
        let bench = try Bench(then: echo, auth: .signing(UserSigner()), options: .standard)
        async let one = UserSigner.$user.withValue(first) { try await bench.client.send(ShowTide()).name }
        await bench.transport.waitForCalls(1)
        async let two = UserSigner.$user.withValue(second) { try await bench.client.send(ShowTide()).name }
        if isShared { await bench.waitForJoined(1) } else { await bench.transport.waitForCalls(2) }
        gate.open()
        #expect(try await [one, two] == ["signed by \(first)", "signed by \(second)"])
        #expect(bench.transport.requests.count == (isShared ? 1 : 2))
    }

    @Test func `the caller's own Authorization does not replace the identity of the signer`() async throws {
        let bench = try Bench(then: .json(tideJSON), auth: .signing(UserSigner()))
        var owners: Set<Secret?> = []
        for user in ["ann", "bob"] {
            try await UserSigner.$user.withValue(user) {
                _ = try await bench.client.raw(.get, "/x", headers: ["Authorization": "Bearer mine"])
            }
        }
        for request in bench.transport.requests {
            #expect(request.headers.values("Authorization") == ["Bearer mine"])
            owners.insert(request.context.owner)
        }
        #expect(owners.count == 2 && !owners.contains(nil))
    }

    @Test func `a call whose signer changes its identity meanwhile is not sent`() async throws {
        final class Session: RequestSigner {
            let name = Mutex("ann")
            var identity: String { name.withLock { $0 } }
            func sign(_ request: inout SigningRequest) async throws {
                name.withLock { $0 = "bob" }
                request.headers["X-Signature"] = "bob's"
            }
        }
        let session = Session()
        let bench = try Bench(then: .json(tideJSON), auth: .signing(session))
        #expect(await bench.failure(of: ShowTide()).description.contains("changed its identity"))
        #expect(bench.transport.requests.isEmpty)
        // The next call begins as bob.
        _ = try await bench.client.send(ShowTide())
        #expect(bench.transport.requests.count == 1)
    }

    // MARK: - Origins

    @Test func `no other origin gets a signature, and a trusted one gets its own`() async throws {
        let mirror = try HTTPURL("https://mirror.test").origin
        let auth = AuthStyle.signing(identity: "k") { request in
            request.headers["X-Signature"] = "for \(request.host)\(request.path)"
        }
        for (target, expected) in [
            ("https://evil.test/next", nil), ("https://tides.test:8443/next", nil),
            ("https://mirror.test/next", "for mirror.test/next"), ("/next", "for tides.test/next"),
        ] {
            let bench = try Bench(
                .status(307, headers: ["Location": target]), .json(tideJSON), base: "https://tides.test", auth: auth,
                options: ClientOptions(trustedOrigins: [mirror], coalescesReads: false))
            _ = try await bench.client.raw(.get, "/a")
            let requests = bench.transport.requests
            try #require(requests.count == 2)
            #expect(requests[0].headers["X-Signature"] == "for tides.test/a")
            #expect(requests[1].headers["X-Signature"] == expected, "\(target)")
        }
    }

    @Test func `a signature in the query is made anew for each attempt`() async throws {
        let count = Mutex(0)
        let auth = AuthStyle.signing(identity: "k") { request in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            request.query = "\(request.query ?? "")&signature=sig-000\(number)"
        }
        let bench = try Bench(.status(503), .json(tideJSON), auth: auth, resilience: .atOnce)
        _ = try await bench.client.send(ShowTide(day: "1"))
        #expect(
            bench.transport.requests.map(\.url.query) == ["day=1&signature=sig-0001", "day=1&signature=sig-0002"])
    }

    // MARK: - Texts and faults

    @Test(arguments: ["X-Signature", "Authorization", "query"])
    func `what a server repeats of a signature is masked`(place: String) async throws {
        let auth = AuthStyle.signing(identity: "k") { request in
            switch place {
            case "query": request.query = "sig=CANARY-1"
            case "Authorization": request.headers[place] = "HMAC id=k, signature=\"CANARY-1\""
            default: request.headers[place] = "CANARY-1"
            }
        }
        let bench = try Bench.plain(.json(#"{"detail":"no CANARY-1 here"}"#, status: 403), auth: auth)
        let failure = await bench.failure(of: ShowTide())
        #expect(failure.problem?.detail == "no <redacted> here")
        #expect(!bench.logs.lines.isEmpty && bench.logs.lines.allSatisfy { !$0.contains("CANARY-1") })
        #expect(bench.events.all.allSatisfy { !"\($0)".contains("CANARY-1") })
    }

    @Test func `a short value that a signer adds stays readable`() async throws {
        let auth = AuthStyle.signing(identity: "k") { $0.headers["X-Version"] = "2024-01-01" }
        let bench = try Bench.plain(.json(#"{"detail":"gone in 2024-01-01"}"#, status: 403), auth: auth)
        #expect(await bench.failure(of: ShowTide()).problem?.detail == "gone in 2024-01-01")
    }

    @Test(arguments: [
        ("X-Signature", "a\r\nX: y", "illegal character"), ("Host", "evil.test", "which the connection sets"),
        ("content-length", "7", "which the connection sets"), ("query", "a b", "percent-encoded"),
        ("query", "a#b", "percent-encoded"),
    ])
    func `a signature that cannot be sent is an error that does not repeat it`(
        place: String, value: String, reason: String
    ) async throws {
        let auth = AuthStyle.signing(identity: "k") { request in
            if place == "query" { request.query = value } else { request.headers[place] = value }
        }
        let bench = try Bench(then: .json(tideJSON), auth: auth)
        let failure = await bench.failure(of: ShowTide())
        #expect(failure.description.contains(reason))
        #expect(!failure.description.contains(value))
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `a signer that fails ends the call without a retry`() async throws {
        let count = Mutex(0)
        let auth = AuthStyle.signing(identity: "k") { _ in
            count.withLock { $0 += 1 }
            throw NetworkError(.storage("the key cannot be read"))
        }
        let bench = try Bench(then: .json(tideJSON), auth: auth, resilience: .atOnce)
        #expect(await bench.failure(of: ShowTide()).kind == .storage("the key cannot be read"))
        #expect(count.withLock { $0 } == 1)
        #expect(bench.transport.requests.isEmpty)
    }
}

extension Shared<Int> {
    /// 1, then 2, and so on.
    fileprivate func next() -> Int {
        change { count in
            count += 1
            return count
        }
    }
}
