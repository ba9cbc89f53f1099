import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct LimitPropertyTests {
    @Test func `each origin has its own limit, and an origin without attempts is forgotten`() async throws {
        for seed in UInt64(0)..<40 {
            var random = SeededRandom(seed: seed)
            let limiter = OriginLimiter(limit: 2)
            let interceptor = ConcurrencyLimitInterceptor(limiter: limiter)
            let time = MonotonicTime(ManualClock())
            let requests = try (0..<3).map { number in
                ClientRequest(
                    .get, try HTTPURL("http://h\(number).test"),
                    context: CallContext(
                        requestId: "r", summary: "GET /", deadline: Deadline(in: .seconds(9), on: time)))
            }
            let crowds = requests.map { _ in Crowd() }
            await withTaskGroup(of: Void.self) { group in
                for (request, crowd) in zip(requests, crowds) {
                    let seed = random.next()
                    group.addTask {
                        var random = SeededRandom(seed: seed)
                        await crowd.rush(60, &random) { body in
                            try await interceptor.intercept(request, receive: { _ in }) { _, _ in try await body() }
                        }
                    }
                }
            }
            try #require(crowds.allSatisfy { $0.most.value <= 2 && $0.inside.value == 0 }, "seed \(seed)")
            try #require(limiter.count == 0, "seed \(seed): \(limiter.count) origins are still in use")
        }
    }
}

/// Many tasks that enter, work, throw and are cancelled at any moment, and how many were inside at once.
private struct Crowd: Sendable {
    struct Odd: Error {}
    let inside = Shared(0)
    let most = Shared(0)

    func rush(
        _ count: Int, _ random: inout SeededRandom,
        through enter: @escaping @Sendable (@escaping @Sendable () async throws -> Void) async throws -> Void
    ) async {
        let plans = (0..<count).map { _ in
            (ending: Int.random(in: 0..<6, using: &random), yields: Int.random(in: 0..<4, using: &random))
        }
        await withTaskGroup(of: Void.self) { group in
            for plan in plans { group.addTask { await pass(plan.ending, plan.yields, enter) } }
        }
    }

    private func pass(
        _ ending: Int, _ yields: Int,
        _ enter: @escaping @Sendable (@escaping @Sendable () async throws -> Void) async throws -> Void
    ) async {
        let task = Task {
            try await enter {
                let now = inside.change {
                    $0 += 1
                    return $0
                }
                defer { inside.change { $0 -= 1 } }
                most.change { $0 = max($0, now) }
                for _ in 0..<yields { await Task.yield() }
                if ending == 5 { throw Odd() }
            }
        }
        if ending < 2 {
            for _ in 0..<yields { await Task.yield() }
            task.cancel()
        }
        _ = await task.result
    }
}
