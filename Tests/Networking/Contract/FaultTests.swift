import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Faults that tests put between a client and a server.
@Suite(.timeLimit(.minutes(1))) struct FaultTests {
    private func outcome(_ transport: any Transport, _ method: HTTPMethod = .post) async -> Outcome {
        let stage = Stage(
            subject: .scripted, transport: transport, url: "http://faults.test", server: nil, scripted: nil)
        return await stage.exchange(method)
    }

    @Test func `an answer comes when the clock has moved, not before`() async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(.delayed(by: .seconds(3), on: clock, then: .status(200, body: "late")))
        async let answer = outcome(transport)
        await clock.waitForSleeper(dueIn: .seconds(3))
        clock.advance(by: .seconds(3))
        #expect(await answer.text == "late")
    }

    @Test(arguments: 0...6) func `a reset lets exactly the bytes before it through`(count: Int) async {
        let transport = ScriptedTransport(.reset(atByte: count, of: .status(200, body: "waters")))
        let outcome = await outcome(transport)
        #expect(outcome.text == "waters".prefix(count))
        #expect(outcome.kind == "connectionLost")
    }

    @Test func `a body as long as announced is whole`() async {
        let outcome = await outcome(ScriptedTransport(.truncated(announced: 3, body: Data("abc".utf8))))
        #expect(outcome.failure == nil)
        #expect(outcome.text == "abc")
    }

    @Test func `an interim status out of range is an error of the script`() async {
        #expect(await outcome(ScriptedTransport(.interim([200], then: .garbage))).kind == "unexpected")
    }

    @Test func `the same seed gives the same faults, another seed others`() async {
        func faults(_ seed: UInt64) async -> [FaultyTransport.Fault?] {
            let clock = ManualClock()
            let faults = FaultyTransport.Fault.usual.filter { $0 != .delayed(.seconds(2)) }
            let transport = FaultyTransport(
                ScriptedTransport(then: .status(200, body: "ok")), seed: seed, rate: 0.5, faults: faults, clock: clock)
            for _ in 1...200 { _ = await outcome(transport) }
            #expect(transport.events.map(\.number) == Array(1...200))
            return transport.events.map(\.fault)
        }
        let first = await faults(7)
        #expect(await faults(7) == first)
        #expect(await faults(8) != first)
        #expect((60...140).contains(first.count { $0 != nil }))
        #expect(Set(first.compactMap { $0 }).count == 6)
    }

    @Test(arguments: [0.0, 1.0]) func `the rate is kept at its ends`(rate: Double) async {
        let transport = FaultyTransport(
            ScriptedTransport(then: .status(200)), seed: 1, rate: rate, faults: [.refused], clock: ManualClock())
        for _ in 1...20 { _ = await outcome(transport) }
        #expect(transport.events.count { $0.fault == .refused } == Int(rate * 20))
    }

    static let kinds: [(FaultyTransport.Fault, String, Int?, Int)] = [
        (.refused, "offline", nil, 0), (.dropped, "connectionLost", nil, 1), (.serverError(503), "", 503, 0),
        (.rateLimited(seconds: 1), "", 429, 0), (.truncated(2), "connectionLost", 200, 1),
        (.reset(0), "connectionLost", 200, 1),
    ]

    @Test(arguments: kinds)
    func `each fault has its error, and asks the server or not`(
        fault: FaultyTransport.Fault, kind: String, status: Int?, asked: Int
    ) async {
        let base = ScriptedTransport(then: .status(200, body: "waters"))
        let outcome = await outcome(FaultyTransport(base, clock: ManualClock()) { _ in fault })
        #expect(outcome.kind == kind)
        #expect(outcome.head?.status == status)
        #expect(base.requests.count == asked)
    }

    @Test func `a delayed call goes on when the clock has moved, and can be cancelled before`() async throws {
        let clock = ManualClock()
        let base = ScriptedTransport(then: .status(200, body: "ok"))
        let transport = FaultyTransport(base, clock: clock) { _ in .delayed(.seconds(2)) }
        async let answer = outcome(transport)
        await clock.waitForSleeper(dueIn: .seconds(2))
        clock.advance(by: .seconds(2))
        #expect(await answer.text == "ok")
        let call = Task { await outcome(transport) }
        await clock.waitForSleeper()
        call.cancel()
        #expect(await call.value.kind == "cancelled")
        #expect(base.requests.count == 1)
    }
}
