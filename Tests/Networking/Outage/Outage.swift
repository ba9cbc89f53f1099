import Logging
import StrataConcurrency
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// A steady stream of calls to an origin that is down for a while and then well again, in simulated time.
///
/// Every call starts when its time comes, whatever became of those before it, and waits for its retries on its own.
struct Outage {
    enum Failure: CaseIterable, Sendable {
        /// Answered with 503.
        case busy
        /// Answered with nothing; the attempt times out.
        case silent
    }

    struct Report: Sendable, CustomStringConvertible {
        var failure: Failure
        var breaker: String
        var calls = 0
        /// What the server saw while it was down.
        var requests = 0
        /// From the moment the origin is well until the first call that works, and until the last that fails.
        var untilFirstSuccess = Duration.zero
        var untilLastFailure = Duration.zero
        var callsAfter = 0
        var requestsAfter = 0

        var amplification: Double { Double(requests) / Double(calls) }

        var description: String {
            """
            outage (\(failure), breaker \(breaker)): \(calls) calls, \(requests) requests, \
            \(Double(Int(amplification * 10_000)) / 10_000) a call; well again: first success after \
            \(untilFirstSuccess), last failure after \(untilLastFailure), \
            \(requestsAfter) requests for \(callsAfter) calls
            """
        }
    }

    static let attemptTimeout = Duration.seconds(2)

    let failure: Failure
    let breaker: BreakerOptions?
    var budget = RetryBudget.standard
    /// Ends soon after the first probe has failed, which is the worst moment: a whole pause lies ahead.
    var down = Duration.seconds(63)
    /// Long enough for one pause and the probe that was under way.
    var after = Duration.seconds(65)
    /// 200 calls a second, or 50 where each hangs for two seconds; 50 once the origin is well.
    private var step: Duration { failure == .silent ? .milliseconds(20) : .milliseconds(5) }
    private let stepAfter = Duration.milliseconds(20)

    func run() async throws -> Report {
        let clock = ManualClock()
        let pace = Pace(clock)
        let origin = OutageTransport(failure, pace)
        let resilience = Resilience(
            try ResilienceOptions(
                deadline: .seconds(8), attemptTimeout: Self.attemptTimeout, budget: budget,
                breaker: breaker ?? BreakerOptions(failures: .max),
                concurrency: 10_000),
            clock: clock, random: SeededRandom.fractions(seed: 7))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.test"), transport: origin, resilience: resilience,
            options: ClientOptions(coalescesReads: false), logger: LogRecorder().logger(level: .critical),
            events: pace.sink)
        var report = Report(failure: failure, breaker: breaker == nil ? "off" : "on")
        let endings = Shared<[(isGood: Bool, at: Duration)]>([])

        var started = 0
        await withTaskGroup(of: Void.self) { group in
            func calls(for time: Duration, every step: Duration) async -> Int {
                var count = 0
                var rest = time
                while rest > .zero {
                    started += 1
                    let name = "call-\(started)"
                    pace.start(name)
                    group.addTask {
                        let options = CallOptions(headers: [FieldName.requestId: name])
                        let isGood = (try? await client.send(ShowTide(), options: options)) != nil
                        let now = clock.now.offset
                        endings.change { $0.append((isGood, now)) }
                        pace.rest(name)
                    }
                    count += 1
                    rest -= step
                    await pace.settle()
                    clock.advance(by: step)
                }
                return count
            }
            report.calls = await calls(for: down, every: step)
            report.requests = origin.requests
            let healed = clock.now.offset
            origin.heal()
            report.callsAfter = await calls(for: after, every: stepAfter)
            // The last calls end without more company.
            for _ in 0..<200 {
                await pace.settle()
                clock.advance(by: .milliseconds(100))
            }
            await group.waitForAll()
            report.requestsAfter = origin.requests - report.requests
            let later = endings.value.filter { $0.at >= healed }
            report.untilFirstSuccess = (later.first { $0.isGood }?.at ?? .seconds(1_000_000)) - healed
            report.untilLastFailure = (later.last { !$0.isGood }?.at ?? healed) - healed
        }
        return report
    }
}

/// Who is at work: time moves on when every call has ended, sleeps until its retry, or waits for an answer.
final class Pace: Sendable {
    private struct State {
        var working: Set<String> = []
        /// When the attempts that hang run out of time.
        var due: [String: Duration] = [:]
    }

    private let clock: ManualClock
    private let state = Shared(State())

    init(_ clock: ManualClock) { self.clock = clock }

    var sink: EventSink {
        { event in if case .retryScheduled = event.kind { self.rest(event.requestId) } }
    }

    func start(_ call: String) { state.change { _ = $0.working.insert(call) } }

    func rest(_ call: String, for wait: Duration? = nil) {
        let due = wait.map { clock.now.offset + $0 }
        state.change { state in
            state.working.remove(call)
            state.due[call] = due
        }
    }

    /// Retries that the clock has just woken are few, and get some turns of the executor.
    func settle() async {
        let now = clock.now.offset
        state.change { state in
            for call in state.due.filter({ $0.value <= now }).keys {
                state.due[call] = nil
                state.working.insert(call)
            }
        }
        for _ in 0..<4 { await Task.yield() }
        do { try await eventually(state.value.working.isEmpty) } catch { Issue.record(error) }
    }
}

/// An origin that is down until it is healed, and counts what reaches it.
final class OutageTransport: Transport {
    private let failure: Outage.Failure
    private let pace: Pace
    private let state = Mutex((isDown: true, requests: 0))

    init(_ failure: Outage.Failure, _ pace: Pace) { (self.failure, self.pace) = (failure, pace) }

    var requests: Int { state.withLock(\.requests) }

    func heal() { state.withLock { $0.isDown = false } }

    func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        let isDown = state.withLock { state in
            state.requests += 1
            return state.isDown
        }
        if isDown, failure == .silent { pace.rest(request.context.requestId, for: Outage.attemptTimeout) }
        let answer: ScriptedTransport.Answer =
            switch isDown ? failure : nil {
            case .busy?: .status(503)
            case .silent?: .silence
            case nil: .json(tideJSON)
            }
        try await ScriptedTransport(answer).send(request, receive: receive)
    }
}
