import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

/// Credentials that are never renewed, in `Authorization`: a token, a user with a password.
///
/// That no other origin gets them is in `RedirectLeakTests` and `RawClientTests`.
struct ConstantCredentialTests {
    @Test func `a token is sent as Bearer, and a 401 is the answer`() async throws {
        let bench = try Bench(.json(tideJSON), .status(401), auth: .token(Secret("t-123")))
        _ = try await bench.client.send(ShowTide())
        #expect(bench.transport.requests[0].headers.values("Authorization") == ["Bearer t-123"])
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("unauthorized"))
        #expect(bench.transport.requests.count == 2)
    }

    /// The first two are the examples of RFC 7617, sections 2 and 2.1.
    @Test(arguments: [
        ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123\u{A3}", "dGVzdDoxMjPCow=="),
        ("ann", "a:b:c", "YW5uOmE6Yjpj"), ("sk_live", "", "c2tfbGl2ZTo="), ("", "x", "Ong="), ("", "", "Og=="),
    ])
    func `a user and a password are sent in UTF-8 and base64`(user: String, password: String, sent: String) async throws
    {
        let bench = try Bench(.json(tideJSON), auth: .basic(user: user, password: Secret(password)))
        _ = try await bench.client.send(ShowTide())
        #expect(bench.transport.requests[0].headers.values("Authorization") == ["Basic \(sent)"])
    }

    @Test(arguments: [
        ("a:b", "hunter2", "colon"), ("ann", "hunter2\n", "control character"),
        ("ann\0", "hunter2", "control character"),
        ("ann", "\u{85}hunter2", "control character"),
    ])
    func `a user or a password that the server would read as another is refused, and not repeated`(
        user: String, password: String, reason: String
    ) {
        let error = #expect(throws: OptionsError.self) { try AuthStyle.basic(user: user, password: Secret(password)) }
        #expect(error?.description.contains(reason) == true)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func `a token with a line break is refused`() throws {
        let error = #expect(throws: OptionsError.self) { try Bench(auth: .token(Secret("t-123\r\nX: y"))) }
        #expect(error?.description.contains("line breaks") == true)
        #expect(error?.description.contains("t-123") == false)
    }

    @Test func `the caller's own Authorization is not replaced`() async throws {
        for auth in try [AuthStyle.token(Secret("t-123")), .basic(user: "ann", password: Secret("hunter2"))] {
            let bench = try Bench(.json(tideJSON), auth: auth)
            _ = try await bench.client.raw(.get, "/x", headers: ["authorization": "Bearer mine"])
            #expect(bench.transport.requests[0].headers.values("Authorization") == ["Bearer mine"])
            #expect(bench.transport.requests[0].context.owner == nil)
        }
    }

    @Test func `where a redirect has dropped the caller's own, the response belongs to the client's`() async throws {
        let mirror = try HTTPURL("https://mirror.test").origin
        let bench = try Bench(
            .status(302, headers: ["Location": "https://mirror.test/x"]), .json(tideJSON), base: "https://tides.test",
            auth: .token(Secret("t-123")), options: ClientOptions(trustedOrigins: [mirror], coalescesReads: false))
        _ = try await bench.client.raw(.get, "/a", headers: ["Authorization": "Bearer mine"])
        let request = bench.transport.requests[1]
        #expect(request.headers.values("Authorization") == ["Bearer t-123"])
        #expect(request.context.owner == CallContext.owner(of: Secret("Bearer t-123"), account: nil))
        #expect(!request.context.mayKeepAnswer)
    }

    @Test func `each credential is an identity of its own`() async throws {
        let styles = try [
            AuthStyle.token(Secret("t-123")), .token(Secret("t-456")), .basic(user: "ann", password: Secret("x")),
            .basic(user: "ann", password: Secret("y")), .basic(user: "bob", password: Secret("x")),
        ]
        var owners: Set<Secret?> = []
        for auth in styles {
            let bench = try Bench(.json(tideJSON), auth: auth)
            _ = try await bench.client.send(ShowTide())
            owners.insert(bench.transport.requests[0].context.owner)
        }
        #expect(owners.count == styles.count && !owners.contains(nil))
    }

    @Test(arguments: [
        ("no t-123456 here", "no <redacted> here"), ("no Bearer t-123456 here", "no <redacted> here"),
        ("no ann here", "no ann here"), ("no hunter2 here", "no <redacted> here"),
        ("no ann:hunter2 here", "no <redacted> here"), ("no YW5uOmh1bnRlcjI= here", "no <redacted> here"),
    ])
    func `what a server repeats of a credential is masked`(echo: String, shown: String) async throws {
        let isToken = echo.contains("t-123456")
        let auth =
            try isToken ? AuthStyle.token(Secret("t-123456")) : .basic(user: "ann", password: Secret("hunter2"))
        let bench = try Bench.plain(.json(#"{"detail":"\#(echo)"}"#, status: 403), auth: auth)
        let failure = await bench.failure(of: ShowTide())
        #expect(failure.problem?.detail == shown)
        for secret in ["t-123456", "hunter2", "YW5uOmh1bnRlcjI="] {
            #expect(bench.logs.lines.allSatisfy { !$0.contains(secret) })
            #expect(!"\(failure)".contains(secret))
        }
    }

    @Test func `a key that is sent as the user is masked, and so is a password of the caller's own`() async throws {
        let key = try Bench.plain(
            .json(#"{"detail":"no sk_live here"}"#, status: 403),
            auth: .basic(user: "sk_live", password: Secret("")))
        #expect(await key.failure(of: ShowTide()).problem?.detail == "no <redacted> here")
        let own = try Bench.plain(.json(#"{"detail":"no hunter2 here"}"#, status: 403))
        let endpoint = HarbourEndpoint.raw(path: "/x", headers: ["Authorization": "Basic YW5uOmh1bnRlcjI="])
        #expect(await own.failure(of: endpoint, CallOptions()).problem?.detail == "no <redacted> here")
    }
}
