import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct BreakerPropertyTests {
    /// More origins than are remembered, so that entries are forgotten and made again at any moment.
    @Test func `the breaker remembers a bounded number of origins, and reports of forgotten ones do not count`() throws
    {
        let origins = try (0..<8).map { try Origin(scheme: "http", host: "h\($0).test") }
        let options = try BreakerOptions(failures: 2, pause: .seconds(10))
        for seed in UInt64(0)..<1000 {
            var random = SeededRandom(seed: seed)
            let clock = ManualClock()
            let breaker = CircuitBreaker(
                options, time: MonotonicTime(clock), wallClock: ManualWallClock(), capacity: 4)
            var permits: [CircuitBreaker.Permit] = []
            for _ in 0..<150 {
                if let origin = origins.randomElement(using: &random), let permit = try? breaker.admit(origin) {
                    permits.append(permit)
                }
                if Bool.random(using: &random), let place = permits.indices.randomElement(using: &random) {
                    let outcome: BreakerState.Outcome = Int.random(in: 0..<4, using: &random) > 0 ? .failure : .success
                    breaker.report(outcome, permits.remove(at: place))
                }
                if Int.random(in: 0..<10, using: &random) == 0 { clock.advance(by: .seconds(4)) }
                try #require(breaker.origins.count <= 4, "seed \(seed)")
            }
            clock.advance(by: .seconds(10))
            for origin in origins {
                breaker.report(.success, try breaker.admit(origin))
                try #require(breaker.state(of: origin) == .closed, "seed \(seed)")
            }
            // Nothing of what is still out from an open time may open a circuit again.
            let old = permits.filter { permit in breaker.origins.contains(permit.origin) }
            for permit in old { breaker.report(.neutral, permit) }
            for origin in origins { try #require(breaker.state(of: origin) == .closed, "seed \(seed)") }
        }
    }

    /// Real tasks that succeed, fail, hang and are cancelled at any moment.
    @Test func `no permit is lost however calls end`() async throws {
        let options = try BreakerOptions(failures: 2, pause: .seconds(10))
        for seed in UInt64(0)..<100 {
            var random = SeededRandom(seed: seed)
            let clock = ManualClock()
            let time = MonotonicTime(clock)
            let breaker = CircuitBreaker(options, time: time, wallClock: ManualWallClock())
            let rig = try BreakerRig(breaker, time)
            for _ in 0..<10 {
                let endings = (0..<12).map { _ in BreakerRig.Ending.allCases.randomElement(using: &random) ?? .answer }
                await rig.run(endings)
                try #require(rig.mostProbes.value <= 1, "seed \(seed)")
                clock.advance(by: .seconds(Int.random(in: 0...11, using: &random)))
            }
            clock.advance(by: .seconds(10))
            await rig.run([.answer])
            try #require(breaker.state(of: rig.origin) == .closed, "seed \(seed): a permit was lost")
        }
    }
}

/// Sends calls through the interceptor of one breaker and ends each in its own way.
private struct BreakerRig {
    enum Ending: CaseIterable {
        case answer, refuse, fail, time, cancelBefore, cancelWithin, throwWhileReading
    }

    let origin: Origin
    /// Probes that were under way at once.
    let mostProbes = Shared(0)
    private let url: HTTPURL
    private let breaker: CircuitBreaker
    private let time: MonotonicTime
    private let probes = Shared(0)

    init(_ breaker: CircuitBreaker, _ time: MonotonicTime) throws {
        url = try HTTPURL("http://tides.test/")
        origin = url.origin
        self.breaker = breaker
        self.time = time
    }

    func run(_ endings: [Ending]) async {
        await withTaskGroup(of: Void.self) { group in
            for ending in endings { group.addTask { await call(ending) } }
        }
    }

    private func call(_ ending: Ending) async {
        let isProbe = Shared(false)
        let context = CallContext(
            requestId: "r", summary: "GET /", deadline: Deadline(in: .seconds(60), on: time),
            events: { event in
                guard case .circuit(_, .probing) = event.kind else { return }
                isProbe.change { $0 = true }
                let count = probes.change { count in
                    count += 1
                    return count
                }
                mostProbes.change { $0 = max($0, count) }
            })
        let request = ClientRequest(.get, url, context: context)
        let entered = Gate()
        let task = Task {
            if ending == .cancelBefore { withUnsafeCurrentTask { $0?.cancel() } }
            try await CircuitBreakerInterceptor(breaker: breaker).intercept(
                request,
                receive: { response in
                    if ending == .throwWhileReading { throw CancellationError() }
                    _ = response
                }
            ) { _, receive in
                defer { if isProbe.value { probes.change { $0 -= 1 } } }
                entered.open()
                await Task.yield()
                switch ending {
                case .answer, .throwWhileReading: try await receive(ClientResponse(ResponseHead(status: 200)))
                case .refuse: try await receive(ClientResponse(ResponseHead(status: 503)))
                case .fail: throw NetworkError(.connectionLost("reset"))
                case .time: throw NetworkError(.timeout)
                case .cancelBefore: try Task.checkCancellation()
                case .cancelWithin: try await Gate().wait()
                }
            }
            entered.open()
        }
        if ending == .cancelWithin {
            let watcher = Task {
                _ = await task.result
                entered.open()
            }
            try? await entered.wait()
            task.cancel()
            await watcher.value
        }
        _ = await task.result
    }
}
