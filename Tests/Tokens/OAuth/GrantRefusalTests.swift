import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataTokens

/// Bad answers of an authorization server, to each request of each grant.
struct GrantRefusalTests {
    /// The request that gets the answer.
    enum Step: String, CaseIterable, Sendable { case clientCredentials, code, deviceCodes, deviceTokens, refresh }

    private let bench = OAuthBench()
    private let store = MemoryTokenStore()

    private static let evil: HeaderFields = ["Location": "https://evil.test/t?x=CANARY-secret"]
    private static let page =
        "<html><title>Sign in CANARY-secret CANARY-code</title>CANARY-refresh CANARY-device</html>"

    /// The failure of the step, and checks that hold for each one.
    private func failure(_ step: Step, _ answer: ScriptedTransport.Answer) async throws -> NetworkError {
        let client = OAuthClient.basic(id: "app", secret: Secret("CANARY-secret"))
        let isDevice = step == .deviceCodes || step == .deviceTokens
        let oauth = try bench.oauth(client, timer: isDevice ? RecordingClock() : ContinuousClock())
        if step == .deviceTokens {
            bench.answer(
                #"{"device_code":"CANARY-device","user_code":"W","verification_uri":"https://id.test/d","expires_in":600}"#
            )
        }
        bench.transport.append(answer)
        let found: NetworkError?
        switch step {
        case .clientCredentials:
            let tokens = oauth.clientCredentials(store: store)
            found = await outcome { () throws(NetworkError) in try await tokens.currentToken() }.error
        case .code:
            do {
                _ = try await oauth.authorizationCode(store: store) { url in
                    let items = try #require(QueryItems(parsing: try HTTPURL(url).query ?? ""))
                    let port = try HTTPURL(#require(items.values("redirect_uri").first)).origin.port
                    let state = try #require(items.values("state").first)
                    _ = try await RawConnection.exchange(
                        "GET /callback?code=CANARY-code&state=\(state) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", port: port)
                }
                found = nil
            } catch { found = error as? NetworkError }
        case .deviceCodes, .deviceTokens:
            found = await outcome { () throws(NetworkError) in try await oauth.device(store: store) { _ in } }.error
        case .refresh:
            try await store.write(
                SessionTokens(
                    access: Secret("CANARY-access"), refresh: Secret("CANARY-refresh"),
                    expiresAt: SessionTokens.noon.addingTimeInterval(900)))
            let session = oauth.session(in: store)
            found = await outcome { () throws(NetworkError) in
                try await session.refreshToken(rejecting: Secret("CANARY-access"))
            }.error
        }
        let error = try #require(found)
        #expect(!error.everything.contains("CANARY") && !"\(error.response as Any)".contains("CANARY"), "\(error)")
        #expect(!error.isUnauthorized && !error.isRetryable, "\(error)")
        #expect(bench.transport.requests.allSatisfy { $0.url.origin.host == "id.test" })
        #expect(bench.transport.requests.count == (step == .deviceTokens ? 2 : 1))
        #expect(try await (store.read() != nil) == (step == .refresh))
        #expect(!bench.log.lines.contains { $0.contains("CANARY") })
        return error
    }

    @Test(arguments: Step.allCases, [301, 302, 303, 307, 308])
    func `a redirect gets neither credentials nor a second request`(step: Step, status: Int) async throws {
        let error = try await failure(step, .status(status, headers: Self.evil))
        #expect(error.description.contains("redirect") && error.description.contains("final URL"), "\(error)")
    }

    @Test(arguments: Step.allCases, [200, 400, 401, 403, 404])
    func `a page instead of JSON is an error with a next step`(step: Step, status: Int) async throws {
        let error = try await failure(
            step, .status(status, headers: ["Content-Type": "text/html"], body: Self.page))
        let words = status == 200 ? "'text/html'" : "status \(status) and no OAuth error; check its URL"
        #expect(error.description.contains(words), "\(error)")
    }

    @Test(
        arguments: Step.allCases, ["[]", "null", "7", #""text""#, "{", "", #"{"access_token":["a"],"device_code":{}}"#])
    func `JSON of another form is an error, and no token`(step: Step, body: String) async throws {
        _ = try await failure(step, .json(body))
    }
}
