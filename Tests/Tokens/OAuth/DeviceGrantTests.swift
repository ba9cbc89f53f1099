import Foundation
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@testable import StrataTokens

/// A login on another device (RFC 8628).
struct DeviceGrantTests {
    private let bench = OAuthBench()
    private let store = MemoryTokenStore()
    private let shown = Shared<[DevicePrompt]>([])

    private func answerCodes(
        _ more: String = #","expires_in":600,"interval":5"#,
        page: String = #""verification_uri":"https://id.test/device""#
    ) {
        bench.answer(#"{"device_code":"CANARY-device","user_code":"WDJB-MJHT",\#(page)\#(more)}"#)
    }

    private func answerPolls(_ codes: String...) {
        for code in codes { bench.answer(#"{"error":"\#(code)"}"#, status: 400) }
    }

    private func login(
        _ client: OAuthClient = .public(id: "app"), timer: any Clock<Duration>, server: OAuthServer? = nil,
        parameters: [String: String] = [:], within limit: Duration? = nil
    ) async throws -> Result<RefreshingTokenProvider, NetworkError> {
        let oauth = try bench.oauth(client, server: server, timer: timer)
        return await outcome { () throws(NetworkError) in
            try await oauth.device(scope: "read", store: store, parameters: parameters, within: limit) {
                [shown] prompt in
                shown.change { $0.append(prompt) }
            }
        }
    }

    private func failure(_ timer: RecordingClock = RecordingClock(), within limit: Duration? = nil) async throws
        -> NetworkError
    {
        let error = try #require(await login(timer: timer, within: limit).error)
        #expect(!error.everything.contains("CANARY"))
        #expect(try await store.read() == nil)
        return error
    }

    @Test(arguments: [("", 366.0 * 86_400), (#","refresh_token":"r1""#, 3600)])
    func `tokens without a stated end last until they are refused, or are renewed`(
        more: String, life: TimeInterval
    ) async throws {
        answerCodes()
        bench.answer(#"{"access_token":"a1","token_type":"Bearer"\#(more)}"#)
        _ = try await login(timer: RecordingClock()).get()
        #expect(try await store.read()?.expiresAt == SessionTokens.noon.addingTimeInterval(life))
    }

    @Test func `the user sees code and page, and the tokens are stored`() async throws {
        let timer = RecordingClock()
        answerCodes(#","verification_uri_complete":"https://id.test/device?c=1","expires_in":600,"interval":7"#)
        answerPolls("authorization_pending")
        bench.answer(token: "a1", refresh: "r1")
        let tokens = try await login(timer: timer, parameters: ["audience": "x y"]).get()
        let prompt = try #require(shown.value.first)
        #expect(shown.value.count == 1 && prompt.code == "WDJB-MJHT" && prompt.page == "https://id.test/device")
        #expect(prompt.link == "https://id.test/device?c=1")
        #expect(prompt.expiresAt == SessionTokens.noon.addingTimeInterval(600))
        #expect(timer.waits == [.seconds(7), .seconds(7)])
        let poll =
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=CANARY-device&client_id=app"
        #expect(bench.forms == ["scope=read&audience=x+y&client_id=app", poll, poll])
        #expect(bench.transport.requests.map(\.url.path) == ["/device", "/oauth/token", "/oauth/token"])
        #expect(try await store.read()?.refresh == Secret("r1"))
        #expect(try await tokens.currentToken() == Secret("a1"))
        #expect(!bench.log.lines.contains { $0.contains("CANARY") || $0.contains("WDJB") })
    }

    @Test func `a client with Basic names itself in the first form, too`() async throws {
        answerCodes()
        bench.answer(token: "a1")
        _ = try await login(.basic(id: "app", secret: Secret("s")), timer: RecordingClock()).get()
        #expect(bench.forms[0] == "client_id=app&scope=read")
        let basic = "Basic " + Data("app:s".utf8).base64EncodedString()
        #expect(bench.transport.requests.map { $0.headers["Authorization"] } == [basic, basic])
        #expect(!bench.forms[1].contains("client_id"))
    }

    @Test(arguments: [
        ("", 5), (#","interval":null"#, 5), (#","interval":"9""#, 9), (#","interval":2.5"#, 2), (#","interval":0"#, 1),
        (#","interval":-4"#, 1), (#","interval":1e300"#, 60),
    ])
    func `the interval is that of the server, within limits, or five seconds`(member: String, seconds: Int) async throws
    {
        let timer = RecordingClock()
        answerCodes(member)
        bench.answer(token: "a1")
        _ = try await login(timer: timer).get()
        #expect(timer.waits == [.seconds(seconds)])
        #expect(shown.value.first?.expiresAt == SessionTokens.noon.addingTimeInterval(600))
    }

    @Test func `slow_down adds five seconds to every further wait`() async throws {
        let timer = RecordingClock()
        answerCodes()
        answerPolls("slow_down", "authorization_pending", "slow_down")
        bench.answer(token: "a1")
        _ = try await login(timer: timer).get()
        #expect(timer.waits == [.seconds(5), .seconds(10), .seconds(10), .seconds(15)])
    }

    @Test func `failures that may pass are polled through`() async throws {
        answerCodes()
        bench.transport.append(.failure(.connectionLost("reset")), .failure(.offline("away")), .status(503))
        bench.answer(token: "a1")
        #expect(try await login(timer: RecordingClock()).get().currentToken() == Secret("a1"))
    }

    @Test func `a refusal by the user is forbidden`() async throws {
        answerCodes()
        answerPolls("access_denied")
        let error = try await failure()
        guard case .forbidden(let problem) = error.kind else {
            Issue.record("\(error)")
            return
        }
        #expect(problem?.error == "access_denied" && error.description.contains("refused in the browser"))
    }

    @Test(arguments: ["expired_token", "invalid_grant"])
    func `a code that is over says to begin again`(code: String) async throws {
        answerCodes()
        answerPolls(code)
        let error = try await failure()
        #expect(error.problem?.error == code && error.description.contains("begin the login again"))
    }

    @Test(arguments: [
        ("access_denied", "the login was refused in the browser: Denied by ada; begin it again and allow it there"),
        ("expired_token", "the code has expired before the login was allowed: Denied by ada; begin the login again"),
        ("invalid_grant", "the server does not know the code any more: Denied by ada; begin the login again"),
    ])
    func `the words of the server stand between the meaning and the next step`(code: String, text: String) async throws
    {
        answerCodes()
        bench.answer(#"{"error":"\#(code)","error_description":"Denied by ada."}"#, status: 400)
        let error = try await failure()
        #expect(error.problem?.error == code && error.reason == text, "\(error)")
    }

    @Test func `a server without words leaves the meaning and the next step`() async throws {
        answerCodes()
        bench.answer(#"{"error":"expired_token","error_description":""}"#, status: 400)
        let text = "the code has expired before the login was allowed; begin the login again"
        #expect(try await failure().reason == text)
    }

    @Test(arguments: ["invalid_client", "unauthorized_client", "unsupported_grant_type"])
    func `a refused client ends the login`(code: String) async throws {
        answerCodes()
        answerPolls(code)
        #expect(try await failure().description.contains("check client id, secret and scope"))
        #expect(bench.transport.requests.count == 2)
    }

    @Test func `a server that never lets the code expire is left a minute after its end`() async throws {
        let timer = RecordingClock()
        answerCodes(#","expires_in":20"#)
        for _ in 0..<40 { bench.answer(#"{"error":"authorization_pending","error_description":"wait"}"#, status: 400) }
        let error = try await failure(timer)
        #expect(error.problem?.error == "expired_token" && error.description.contains("has expired"))
        #expect(timer.waits.count == 17)
    }

    @Test func `the limit ends the login`() async throws {
        let timer = RecordingClock()
        answerCodes()
        answerPolls("authorization_pending", "authorization_pending")
        #expect(try await failure(timer, within: .seconds(12)).kind == .timeout)
        #expect(timer.waits == [.seconds(5), .seconds(5), .seconds(2)])
    }

    @Test func `a cancelled login ends at once`() async throws {
        let timer = ManualClock()
        answerCodes()
        let running = Task { try await login(timer: timer) }
        await timer.waitForSleeper(dueIn: .seconds(5))
        running.cancel()
        #expect(try await running.value.error?.kind == .cancelled)
        #expect(bench.transport.requests.count == 1)
    }

    @Test(arguments: [
        #""verification_uri":"javascript:alert(1)""#, #""verification_uri":"file:///etc/passwd""#,
        #""verification_uri":"""#, #""verification_uri":"https://id.test/\u001b[2J""#, #""verification_uri":7"#,
        #""verification_uri":"https://id.test/","verification_uri_complete":"ftp://id.test/""#, #""x":1"#,
    ])
    func `a page that no browser should open is not shown`(page: String) async throws {
        answerCodes(page: page)
        #expect(try await failure().description.contains("no usable page"))
        #expect(shown.value.isEmpty && bench.transport.requests.count == 1)
    }

    @Test func `the page under the name of the draft is taken`() async throws {
        answerCodes(page: #""verification_url":"https://www.google.test/device""#)
        bench.answer(token: "a1")
        _ = try await login(timer: RecordingClock()).get()
        #expect(shown.value.first?.page == "https://www.google.test/device" && shown.value.first?.link == nil)
    }

    @Test func `a refusal or a redirect of the first request is told with the name of its endpoint`() async throws {
        bench.answer(#"{"error":"invalid_scope"}"#, status: 400)
        #expect(try await failure().description.contains("the device authorization endpoint refuses this client"))
        bench.transport.append(.status(308, headers: ["Location": "https://evil.test/"]))
        #expect(try await failure().description.contains("the device authorization endpoint answers with a redirect"))
        #expect(bench.transport.requests.map(\.url.origin.host) == ["id.test", "id.test"])
    }

    @Test func `a session of the store is used and nothing is shown`() async throws {
        try await store.write(.number(1))
        #expect(try await login(timer: RecordingClock()).get().currentToken() == Secret("access-1"))
        #expect(shown.value.isEmpty && bench.transport.requests.isEmpty)
    }

    @Test func `a store that cannot be read is a storage failure`() async throws {
        store.failure = TokenStoreError("The file is damaged.")
        #expect(try await login(timer: RecordingClock()).error?.isStorage == true)
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `a server without the endpoint is refused`() async throws {
        let server = try OAuthServer.endpoints(token: "https://id.test/t")
        let error = try await login(timer: RecordingClock(), server: server).error
        #expect(error?.description.contains("'device:'") == true)
    }
}
