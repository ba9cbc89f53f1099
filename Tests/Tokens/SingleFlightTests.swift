import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

/// One refresh for all callers, and the effect of cancellation.
struct SingleFlightTests {
    let store = MemoryTokenStore(.number(1))
    let clock = ManualWallClock(SessionTokens.noon)

    @Test func `a thousand callers with a rejected token cause one refresh`() async throws {
        let gate = Gate()
        let refresher = FakeRefresher { _, _ in
            try? await gate.wait()
            return .number(2)
        }
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: clock)
        let tokens = try await withThrowingTaskGroup { group in
            for _ in 0..<1000 {
                group.addTask {
                    await outcome { () throws(NetworkError) in
                        try await provider.refreshToken(rejecting: Secret("access-1"))
                    }
                }
            }
            try await eventually("all wait") { await provider.waiting == 1000 }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1.value) }
        }
        #expect(tokens.count == 1000 && tokens.allSatisfy { $0 == Secret("access-2") })
        #expect(refresher.sent == [Secret("refresh-1")])
        #expect(store.writes == [.number(2)])
    }

    @Test func `a late caller with an older token gets the present one without a refresh`() async throws {
        let refresher = FakeRefresher { number, _ in .number(number + 1) }
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: clock)
        #expect(try await provider.currentToken() == Secret("access-1"))
        #expect(try await provider.refreshToken(rejecting: Secret("access-0")) == Secret("access-1"))
        #expect(refresher.sent.isEmpty)
    }

    @Test func `a token that another process stored is used without a refresh`() async throws {
        let refresher = FakeRefresher { _, _ in .number(9) }
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: clock)
        #expect(try await provider.currentToken() == Secret("access-1"))
        try await store.write(.number(2))
        #expect(try await provider.refreshToken(rejecting: Secret("access-1")) == Secret("access-2"))
        #expect(try await provider.currentToken() == Secret("access-2"))
        #expect(refresher.sent.isEmpty)
    }

    @Test func `a caller whose rejected token is still the stored one causes a refresh`() async throws {
        try await store.write(.number(2))
        let gate = Gate()
        let hooked = HookedStore(store) { step in if step == .read { try? await gate.wait() } }
        let refresher = FakeRefresher { _, _ in .number(3) }
        let provider = RefreshingTokenProvider(store: hooked, refresher: refresher, clock: clock)
        async let first = provider.refreshToken(rejecting: Secret("access-1"))
        async let second = provider.refreshToken(rejecting: Secret("access-2"))
        try await eventually("both wait") { await provider.waiting == 2 }
        gate.open()
        let tokens = try await [first, second]
        #expect(tokens.contains(Secret("access-3")))
        #expect(tokens[1] == Secret("access-3"))
        #expect(refresher.sent == [Secret("refresh-2")])
    }

    @Test func `cancelling every caller cancels the refresh, and the next call refreshes again`() async throws {
        let never = Gate()
        let cancelled = CallCounter()
        let refresher = FakeRefresher { number, _ throws(NetworkError) in
            if number > 1 { return .number(2) }
            do { try await never.wait() } catch { cancelled.increment() }
            throw NetworkError(.cancelled)
        }
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: clock)
        let callers = (0..<10).map { _ in Task { try await provider.refreshToken(rejecting: Secret("access-1")) } }
        try await eventually("the refresh is sent") { await provider.waiting == 10 && refresher.sent.count == 1 }
        for caller in callers { caller.cancel() }
        for caller in callers { await #expect(throws: NetworkError.self) { try await caller.value } }
        try await eventually("the refresh sees it") { cancelled.value == 1 }
        #expect(try await provider.refreshToken(rejecting: Secret("access-1")) == Secret("access-2"))
    }

    @Test func `a response that arrives after every caller was cancelled is stored`() async throws {
        let gate = Gate()
        let refresher = FakeRefresher { _, _ in
            await withTaskCancellationShield(gate)
            return .number(2)
        }
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: clock)
        let caller = Task { try await provider.refreshToken(rejecting: Secret("access-1")) }
        try await eventually("the refresh is sent") { refresher.sent.count == 1 }
        caller.cancel()
        await #expect(throws: NetworkError.self) { try await caller.value }
        gate.open()
        try await eventually("it is stored") { store.writes == [.number(2)] }
        #expect(try await provider.refreshToken(rejecting: Secret("access-1")) == Secret("access-2"))
        #expect(refresher.sent.count == 1)
    }

    @Test func `a cancelled task does not start a refresh`() async {
        let refresher = FakeRefresher { _, _ in .number(2) }
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: clock)
        let gate = Gate()
        let caller = Task {
            try? await gate.wait()
            return await outcome { () throws(NetworkError) in
                try await provider.refreshToken(rejecting: Secret("access-1"))
            }
        }
        caller.cancel()
        #expect(await caller.value.error?.kind == .cancelled)
        #expect(refresher.sent.isEmpty)
    }

    @Test(arguments: 0..<4)
    func `callers that arrive and are cancelled at random cause one refresh`(seed: UInt64) async throws {
        let random = SeededRandom.fractions(seed: seed)
        let gate = Gate()
        let refresher = FakeRefresher { _, _ throws(NetworkError) in
            do { try await gate.wait() } catch { throw NetworkError(.cancelled) }
            return .number(2)
        }
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: clock)
        let stayer = Task { try await provider.refreshToken(rejecting: Secret("access-1")) }
        try await eventually("the refresh is sent") { refresher.sent.count == 1 }
        await withTaskGroup { group in
            for _ in 0..<300 {
                let waits = random() < 0.5
                group.addTask {
                    let caller = Task { try await provider.refreshToken(rejecting: Secret("access-1")) }
                    if waits { await Task.yield() }
                    caller.cancel()
                    _ = try? await caller.value
                }
            }
        }
        gate.open()
        #expect(try await stayer.value == Secret("access-2"))
        #expect(refresher.sent.count == 1)
    }
}

/// Waits at the gate even if the task is cancelled, like a server that already has the request.
private func withTaskCancellationShield(_ gate: Gate) async {
    await Task { try? await gate.wait() }.value
}
