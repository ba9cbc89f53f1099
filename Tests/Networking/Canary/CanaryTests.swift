import Foundation
import Metrics
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Plants a secret of its own in every place a call has, and looks for each in every text that leaves the client.
struct CanaryTests {
    /// How the server treats the call.
    enum Answer: CaseIterable, Sendable {
        case success, echoingSuccess, wrongType, noJSON, noJSONType, echoedType, events, tooLarge
        case invalid, unauthorized, forbidden, missing, conflict, teapot, limited, broken, odd
        case redirect, redirectElsewhere, redirectWithPassword, redirectLoop
        case refused, lost, silent, tls, cut
    }

    enum Style: CaseIterable, Sendable {
        case none, bearer, refreshFails, token, basic, keyInHeader, keyInQuery, signed
    }

    @Test(arguments: Answer.allCases, Style.allCases)
    func `no secret shows up in a log, trace, metric, event, error or state`(
        answer: Answer, style: Style
    ) async throws {
        let canaries = Canaries()
        let metrics = MetricsRecorder()
        var sinks = Sinks()
        sinks = try await withMetricsFactory(metrics) {
            try await drive(answer, style, canaries)
        }
        sinks.add("metrics", metrics.names.joined(separator: "\n"))
        #expect(!metrics.names.isEmpty)
        let leaks = Set(sinks.leaks(of: canaries.all)).sorted()
        #expect(leaks.isEmpty)
    }

    @Test func `a leak would be seen in each sink`() {
        let canary = Canary("test")
        var sinks = Sinks()
        sinks.add(value: NetworkError(.unexpected("it was \(canary.text)")), as: "error")
        #expect(sinks.leaks(of: [canary]).count == 4)
        #expect(!sinks.leaks(of: [canary]).joined().contains(canary.text))
        sinks = Sinks()
        sinks.add(value: canary.secret, as: "secret")
        #expect(sinks.leaks(of: [canary]).isEmpty)
    }

    private func drive(_ answer: Answer, _ style: Style, _ canaries: Canaries) async throws -> Sinks {
        let bench = try Bench(
            then: script(answer, canaries), auth: try auth(style, canaries),
            resilience: ResilienceOptions(
                retry: RetryPolicy(attempts: 2, baseDelay: .zero), breaker: BreakerOptions(failures: 100)),
            options: ClientOptions(
                headers: ["X-Client-Secret": canaries.ownHeader.text], bodyLimit: 2000, coalescesReads: false))
        var sinks = Sinks()
        let options = CallOptions(
            idempotencyKey: "k", headers: ["Cookie": "session=\(canaries.cookie.text)"])
        var failures = await failures(
            at: bench, answer,
            of: [
                { await bench.failureOrNil(of: LogInWith(canaries.password), options) },
                { await bench.failureOrNil(of: LogInByForm(canaries.formPassword), options) },
                { await bench.failureOrNil(of: ShowTide(), options) },
                { await bench.failureOrNil(ofRaw: "/v1/raw?access_token=\(canaries.password.text)", options) },
            ])
        failures += await self.failures(
            at: bench, answer,
            of: [
                { await bench.failureOrNil(ofEvents: options) }, { await bench.failureOrNil(ofPages: options) },
            ])
        for failure in failures {
            sinks.add(value: failure, as: "error")
            sinks.add(value: DomainError(failure), as: "domain error")
            sinks.add("attempts", "\(failure.attempts)")
            sinks.add("sentence", failure.localizedDescription)
        }
        sinks.add("log", bench.logs.lines.joined(separator: "\n"))
        sinks.add(value: bench.events.all, as: "events")
        sinks.add("trace", bench.transport.requests.map { $0.headers["traceparent"] ?? "" }.joined(separator: "\n"))
        sinks.add("request id", bench.transport.requests.map(\.context.requestId).joined(separator: "\n"))
        sinks.add("summary", bench.transport.requests.map(\.summary).joined(separator: "\n"))
        if let state = bench.client.state(of: "/") {
            sinks.add("origin state", String(decoding: try WireJSON.encode(state), as: UTF8.self))
        }
        for request in bench.transport.requests where request.url.origin.description != "http://tides.test" {
            sinks.add("request to another origin", "\(request.url) \(request.headers)")
        }
        let sent = bench.transport.requests.map(CanaryEcho.text).joined()
        for canary in planted(style, canaries) {
            let wasSent = sent.contains(canary.text)
            #expect(wasSent, "\(canary.place) was never on its way")
        }
        #expect(!bench.logs.lines.isEmpty)
        return sinks
    }

    /// The failures of calls that run at once.
    private func failures(
        at bench: Bench, _ answer: Answer, of calls: [@Sendable () async -> NetworkError?]
    ) async -> [NetworkError] {
        let earlier = bench.transport.requests.count
        return await withTaskGroup(of: NetworkError?.self) { group in
            for call in calls { group.addTask { await call() } }
            if answer == .silent {
                await bench.transport.waitForCalls(earlier + calls.count)
                bench.clock.advance(by: .seconds(31))
            }
            return await group.reduce(into: [NetworkError]()) { if let failure = $1 { $0.append(failure) } }
        }
    }

    private func planted(_ style: Style, _ canaries: Canaries) -> [Canary] {
        let always = [canaries.password, canaries.formPassword, canaries.cookie, canaries.ownHeader]
        return switch style {
        case .none: always
        case .bearer, .refreshFails: always + [canaries.bearer]
        case .token: always + [canaries.token]
        case .basic: always + [canaries.basicCredential]
        case .keyInHeader: always + [canaries.keyInHeader]
        case .keyInQuery: always + [canaries.keyInQuery]
        case .signed: always + [canaries.signature, canaries.signedQuery]
        }
    }

    private func auth(_ style: Style, _ canaries: Canaries) throws -> AuthStyle {
        switch style {
        case .none: .none
        case .bearer: .bearer(ScriptedTokens(canaries.bearer.text, refreshed: canaries.refreshed.text))
        case .refreshFails: .bearer(ScriptedTokens(canaries.bearer.text))
        case .token: .token(canaries.token.secret)
        case .basic: try .basic(user: "ann", password: canaries.basicPassword.secret)
        case .keyInHeader: .apiKey(canaries.keyInHeader.secret, in: .header("X-Odd-Name"))
        case .keyInQuery: .apiKey(canaries.keyInQuery.secret, in: .query("odd"))
        case .signed:
            .signing(identity: "key") { request in
                request.headers["X-Odd-Name"] = canaries.signature.text
                request.query = (request.query.map { "\($0)&" } ?? "") + "odd=\(canaries.signedQuery.text)"
            }
        }
    }

    private func script(_ answer: Answer, _ canaries: Canaries) -> ScriptedTransport.Answer {
        ScriptedTransport.Answer { request in
            let echo = CanaryEcho(canaries, of: request)
            let isThere = request.url.path == "/v1/other" || request.url.origin.description != "http://tides.test"
            return try await ScriptedTransport.response(of: echo.answer(isThere ? .invalid : answer), to: request)
        }
    }
}
