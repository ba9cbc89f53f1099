import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct CircuitBreakerTests {
    private func bench() throws -> Bench { try Bench(resilience: ResilienceOptions(retry: .never)) }
    private let origin: Origin

    init() throws { origin = try Origin(scheme: "http", host: "tides.test") }

    /// Fails as often as it takes to open the circuit.
    private func open(_ bench: Bench) async {
        for _ in 0..<5 {
            bench.transport.append(.status(500))
            _ = await bench.failure(of: ShowTide())
        }
    }

    @Test func `opens after five failures in a row and says until when`() async throws {
        let bench = try bench()
        for status in [503, 0, 408, 0, 500] {
            #expect(bench.resilience.breaker.state(of: origin) == .closed)
            bench.transport.append(status == 0 ? .failure(.offline("down")) : .status(status))
            _ = await bench.failure(of: ShowTide())
        }
        let until = bench.wallClock.now.addingTimeInterval(60)
        #expect(bench.resilience.breaker.state(of: origin) == .open(until: until))
        let failure = await bench.failure(of: ShowTide())
        #expect(bench.transport.requests.count == 5)
        #expect(
            failure.description.contains(
                "http://tides.test failed too often and is left alone until 2026-11-21T09:01:00"))
    }

    @Test func `concurrent failures open the circuit for later calls, and a success among them does not close it`()
        async throws
    {
        for round in 0..<50 {
            let breaker = CircuitBreaker(
                .standard, time: MonotonicTime(ManualClock()), wallClock: ManualWallClock())
            let permits = try (0..<8).map { _ in try breaker.admit(origin) }
            await withTaskGroup(of: Void.self) { group in
                for permit in permits.dropLast() { group.addTask { breaker.report(.failure, permit) } }
                group.addTask { breaker.report(.neutral, permits[7]) }
            }
            #expect(throws: NetworkError.self, "round \(round)") { try breaker.admit(origin) }
            breaker.report(.success, permits[0])
            #expect(throws: NetworkError.self, "round \(round)") { try breaker.admit(origin) }
        }
    }

    @Test(arguments: [302, 400, 401, 403, 404, 409, 410, 412, 421, 422, 425, 429, 451, 499])
    func `an answer below 500 other than 408 never counts`(status: Int) async throws {
        let bench = try bench()
        for _ in 0..<20 {
            bench.transport.append(.status(status))
            _ = await bench.failure(of: ShowTide())
        }
        #expect(bench.resilience.breaker.state(of: origin) == .closed)
    }

    @Test func `one probe after the pause; its success closes`() async throws {
        let bench = try bench()
        await open(bench)
        bench.clock.advance(by: .seconds(59))
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("circuitOpen"))
        bench.clock.advance(by: .seconds(1))
        #expect(bench.resilience.breaker.state(of: origin) == .halfOpen)

        let gate = Gate()
        bench.transport.append(.held(by: gate, then: .json(tideJSON)))
        async let probe = bench.client.send(ShowTide())
        await bench.transport.waitForCalls(6)
        #expect(await bench.failure(of: ShowTide()).kindText.hasPrefix("circuitOpen"))
        gate.open()
        #expect(try await probe == tide)
        #expect(bench.resilience.breaker.state(of: origin) == .closed)
        #expect(bench.events.kinds.filter { $0 == .circuit(origin: "http://tides.test", .opened) }.count == 1)
        #expect(bench.events.kinds.filter { $0 == .circuit(origin: "http://tides.test", .probing) }.count == 1)
        #expect(bench.events.kinds.filter { $0 == .circuit(origin: "http://tides.test", .closed) }.count == 1)
    }

    @Test func `a cancelled probe counts neither way and frees the next`() async throws {
        let bench = try bench()
        await open(bench)
        bench.clock.advance(by: .seconds(60))
        bench.transport.append(.silence)
        let probe = Task { await bench.failure(of: ShowTide()) }
        await bench.transport.waitForCalls(6)
        probe.cancel()
        #expect(await probe.value.kind == .cancelled)
        #expect(bench.resilience.breaker.state(of: origin) == .halfOpen)
        bench.transport.append(.json(tideJSON))
        #expect(try await bench.client.send(ShowTide()) == tide)
        #expect(bench.resilience.breaker.state(of: origin) == .closed)
    }

    @Test(arguments: [200, 500])
    func `a call from before the circuit opened decides nothing after it`(status: Int) async throws {
        let bench = try bench()
        let gate = Gate()
        bench.transport.append(.held(by: gate, then: .json(tideJSON, status: status)))
        async let late = bench.failure(of: ShowTide())
        await bench.transport.waitForCalls(1)
        await open(bench)
        gate.open()
        _ = await late
        #expect(bench.resilience.breaker.state(of: origin) != .closed)

        // Nor while the circuit is half-open.
        bench.clock.advance(by: .seconds(60))
        bench.transport.append(.json(tideJSON))
        #expect(try await bench.client.send(ShowTide()) == tide)
        #expect(bench.resilience.breaker.state(of: origin) == .closed)
    }

    @Test func `a timed out attempt counts`() async throws {
        let bench = try bench()
        for _ in 0..<5 {
            bench.transport.append(.silence)
            async let failure = bench.failure(of: ShowTide())
            await bench.clock.waitForSleeper(dueIn: .seconds(10))
            bench.clock.advance(by: .seconds(10))
            #expect(await failure.kind == .timeout)
        }
        #expect(bench.resilience.breaker.state(of: origin) != .closed)
    }

    @Test func `an origin that is silent until the deadline fails, and opens its circuit`() async throws {
        let bench = try bench()
        for call in 1...5 {
            bench.transport.append(.silence)
            async let failure = bench.failure(of: ShowTide(), CallOptions(deadline: .seconds(2)))
            await bench.transport.waitForCalls(call)
            bench.clock.advance(by: .seconds(2))
            #expect(await failure.kind == .timeout)
        }
        #expect(bench.resilience.breaker.state(of: origin) != .closed)
    }

    @Test func `a call that had no time to wait says nothing about the origin`() async throws {
        let bench = try bench()
        for call in 1...5 {
            bench.transport.append(.silence)
            async let failure = bench.failure(of: ShowTide(), CallOptions(deadline: .milliseconds(900)))
            await bench.transport.waitForCalls(call)
            bench.clock.advance(by: .milliseconds(900))
            #expect(await failure.kind == .timeout)
        }
        #expect(bench.resilience.breaker.state(of: origin) == .closed)
    }

    @Test func `each origin has its own circuit, which all clients share`() async throws {
        let bench = try bench()
        await open(bench)
        let other = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.test:8080"), transport: bench.transport, resilience: bench.resilience,
            logger: bench.logs.logger())
        let same = try HTTPAPIClient(
            baseURL: HTTPURL("http://TIDES.test:80/api"), transport: bench.transport, resilience: bench.resilience,
            logger: bench.logs.logger())
        bench.transport.append(.json(tideJSON))
        #expect(try await other.send(ShowTide()) == tide)
        await #expect(throws: NetworkError.self) { try await same.send(ShowTide()) }
        #expect(bench.transport.requests.count == 6)
    }

    @Test func `a rejected call is not retried`() async throws {
        let bench = try Bench(resilience: ResilienceOptions(retry: RetryPolicy(attempts: 3, baseDelay: .zero)))
        for _ in 0..<5 { bench.transport.append(.status(500)) }
        let first = await bench.failure(of: ShowTide())
        #expect(first.attempts.count == 3)
        let second = await bench.failure(of: ShowTide())
        #expect(second.attempts.map(\.outcome) == ["500", "500", "circuit open"])
        #expect(bench.transport.requests.count == 5)
    }
}
