import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Where a call may be when it is cancelled or its deadline comes, and what is sent then.
struct RetryFlowTests {
    @Test func `cancelled before it begins, nothing is sent`() async throws {
        let bench = try Bench(.json(tideJSON))
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await bench.failure(of: ShowTide())
        }
        #expect(await call.value.kind == .cancelled)
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func `cancelled during an attempt, no other follows`() async throws {
        let bench = try Bench(.silence, .json(tideJSON))
        let call = Task { await bench.failure(of: ShowTide()) }
        await bench.transport.waitForCalls(1)
        call.cancel()
        #expect(await call.value.kind == .cancelled)
        #expect(bench.transport.requests.count == 1)
        // The timer of the attempt may still be there, a back-off may not.
        #expect(bench.clock.waits.allSatisfy { $0 == .seconds(10) })
    }

    @Test func `a call that is cancelled in a later attempt reports the earlier ones`() async throws {
        let bench = try Bench(.status(503), .silence, .json(tideJSON), resilience: .atOnce)
        let call = Task { await bench.failure(of: ShowTide()) }
        await bench.transport.waitForCalls(2)
        call.cancel()
        let failure = await call.value
        #expect(failure.kind == .cancelled)
        #expect(failure.attempts.map(\.outcome) == ["503", "cancelled"])
        #expect(bench.transport.requests.count == 2)
    }

    @Test(arguments: [1, 2, 3])
    func `succeeds in any attempt`(attempt: Int) async throws {
        let bench = try Bench(resilience: .atOnce)
        for _ in 1..<attempt { bench.transport.append(.status(503)) }
        bench.transport.append(.json(tideJSON))
        #expect(try await bench.client.send(ShowTide()) == tide)
        #expect(bench.transport.requests.count == attempt)
    }
}
