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

    private static let codes =
        #"{"device_code":"CANARY-device","user_code":"W","verification_uri":"https://id.test/d","expires_in":600}"#

    /// The failure of the step; `nil` when it succeeds.
    ///
    /// - Parameter limit: Of a device grant as a whole.
    private func run(_ step: Step, _ oauth: OAuth, within limit: Duration? = nil) async throws -> NetworkError? {
        switch step {
        case .clientCredentials:
            let tokens = oauth.clientCredentials(store: store)
            return await outcome { () throws(NetworkError) in try await tokens.currentToken() }.error
        case .code:
            do {
                _ = try await oauth.authorizationCode(store: store) { url in
                    let items = try #require(QueryItems(parsing: try HTTPURL(url).query ?? ""))
                    let port = try HTTPURL(#require(items.values("redirect_uri").first)).origin.port
                    let state = try #require(items.values("state").first)
                    _ = try await RawConnection.exchange(
                        "GET /callback?code=CANARY-code&state=\(state) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", port: port)
                }
                return nil
            } catch { return error as? NetworkError }
        case .deviceCodes, .deviceTokens:
            return await outcome { () throws(NetworkError) in
                try await oauth.device(store: store, within: limit) { _ in }
            }.error
        case .refresh:
            try await store.write(
                SessionTokens(
                    access: Secret("CANARY-access"), refresh: Secret("CANARY-refresh"),
                    expiresAt: SessionTokens.noon.addingTimeInterval(900)))
            let session = oauth.session(in: store)
            return await outcome { () throws(NetworkError) in
                try await session.refreshToken(rejecting: Secret("CANARY-access"))
            }.error
        }
    }

    private var client: OAuthClient { .basic(id: "app", secret: Secret("CANARY-secret")) }

    /// The failure of the step, and checks that hold for each one.
    private func failure(_ step: Step, _ answer: ScriptedTransport.Answer) async throws -> NetworkError {
        let isDevice = step == .deviceCodes || step == .deviceTokens
        let oauth = try bench.oauth(client, timer: isDevice ? RecordingClock() : ContinuousClock())
        if step == .deviceTokens { bench.answer(Self.codes) }
        bench.transport.append(answer)
        let error = try #require(try await run(step, oauth))
        #expect(!error.isUnauthorized && !error.isRetryable, "\(error)")
        try await check(step, error)
        return error
    }

    /// No secret in any text, no request elsewhere, one at each place, and no tokens but those that were there.
    private func check(_ step: Step, _ error: NetworkError) async throws {
        #expect(!error.everything.contains("CANARY") && !"\(error.response as Any)".contains("CANARY"), "\(error)")
        #expect(bench.transport.requests.allSatisfy { $0.url.origin.host == "id.test" })
        #expect(bench.transport.requests.count == (step == .deviceTokens ? 2 : 1))
        #expect(try await (store.read() != nil) == (step == .refresh))
        #expect(!bench.log.lines.contains { $0.contains("CANARY") })
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
        arguments: Step.allCases,
        [
            "[]", "null", "7", #""text""#, "{", "", "{}", #"{"access_token":""}"#, #"{"access_token":7}"#,
            #"{"access_token":["a"],"device_code":{}}"#,
        ])
    func `JSON of another form is an error, and no token`(step: Step, body: String) async throws {
        _ = try await failure(step, .json(body))
    }

    @Test(.timeLimit(.minutes(1)), arguments: Step.allCases)
    func `a server that never answers ends each step at its limit, with a sentence`(step: Step) async throws {
        let time = ManualClock()
        let oauth = try bench.oauth(
            client, resilience: Resilience(ResilienceOptions(retry: .never), clock: time), timer: time)
        if step == .deviceTokens { bench.answer(Self.codes) }
        bench.transport.append(.silence)
        async let failure = run(step, oauth, within: .seconds(40))
        if step == .deviceTokens { await pass(.seconds(5), time) }
        await bench.transport.waitForCalls(step == .deviceTokens ? 2 : 1)
        // The limit of each request.
        time.advance(by: .seconds(30))
        // A poll without an answer is repeated, and the rest of the 40 seconds is too short for one.
        if step == .deviceTokens { await pass(.seconds(5), time) }

        let error = try #require(try await failure)
        #expect(error.kind == .timeout && error.isRetryable && error.description.contains("timed out"), "\(error)")
        try await check(step, error)
        try await eventually(bench.transport.cancelled == 1)
    }

    /// Moves the clock over a wait as soon as it has begun.
    private func pass(_ wait: Duration, _ time: ManualClock) async {
        await time.waitForSleeper(dueIn: wait)
        time.advance(by: wait)
    }
}
