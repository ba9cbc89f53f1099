import Foundation
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

/// A logout, or a login, at any point of a refresh.
struct LogoutTests {
    let store = MemoryTokenStore(.number(1))
    let clock = ManualWallClock(SessionTokens.noon)

    /// The point of a refresh at which the other event happens.
    enum Moment: CaseIterable, Sendable { case lock, firstRead, refresh, secondRead, write }

    /// A provider that calls `happening` at `moment` of its first refresh.
    func provider(
        interruptedAt moment: Moment, ended: CallCounter = CallCounter(),
        by happening: @escaping @Sendable (RefreshingTokenProvider) async throws -> Void
    ) -> RefreshingTokenProvider {
        let box = Mutex<RefreshingTokenProvider?>(nil)
        let reads = CallCounter()
        let once = CallCounter()
        let interrupt: @Sendable (Moment) async -> Void = { reached in
            guard reached == moment, once.value == 0, let provider = box.withLock({ $0 }) else { return }
            once.increment()
            do { try await happening(provider) } catch { Issue.record(error) }
        }
        let hooked = HookedStore(store) { step in
            switch step {
            case .lock: await interrupt(.lock)
            case .read:
                reads.increment()
                await interrupt(reads.value == 1 ? .firstRead : .secondRead)
            case .write: await interrupt(.write)
            }
        }
        let refresher = FakeRefresher { _, _ in
            await interrupt(.refresh)
            return .number(2)
        }
        let provider = RefreshingTokenProvider(
            store: hooked, refresher: refresher, clock: clock, onSessionEnd: { ended.increment() })
        box.withLock { $0 = provider }
        return provider
    }

    @Test(arguments: Moment.allCases)
    func `a logout during a refresh ends the session`(moment: Moment) async throws {
        let ended = CallCounter()
        let logout = Mutex<Task<Void, any Error>?>(nil)
        let provider = provider(interruptedAt: moment, ended: ended) { provider in
            let before = await provider.generation
            logout.withLock { $0 = Task { try await provider.logout() } }
            try await eventually("the logout has begun") { await provider.generation > before }
        }
        let answer = await outcome { () throws(NetworkError) in
            try await provider.refreshToken(rejecting: Secret("access-1"))
        }
        #expect(answer.error?.isUnauthorized == true)
        try await logout.withLock { $0 }?.value
        #expect(try await store.read() == nil)
        #expect(try await provider.currentToken() == nil)
        #expect(ended.value == 0)
    }

    @Test(arguments: Moment.allCases)
    func `a logout during a refresh fails a thousand waiters`(moment: Moment) async throws {
        let ended = CallCounter()
        let logout = Mutex<Task<Void, any Error>?>(nil)
        let provider = provider(interruptedAt: moment, ended: ended) { provider in
            try await eventually("all wait") { await provider.waiting == 1000 }
            let before = await provider.generation
            logout.withLock { $0 = Task { try await provider.logout() } }
            try await eventually("the logout has begun") { await provider.generation > before }
        }
        let answers = await withTaskGroup { group in
            for _ in 0..<1000 {
                group.addTask {
                    await outcome { () throws(NetworkError) in
                        try await provider.refreshToken(rejecting: Secret("access-1"))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 1000 && answers.allSatisfy { $0.error?.isUnauthorized == true })
        try await logout.withLock { $0 }?.value
        #expect(try await store.read() == nil)
        #expect(await provider.waiting == 0)
        #expect(ended.value == 0)
    }

    @Test(arguments: [Moment.lock, .firstRead, .refresh, .secondRead])
    func `a store that another process cleared during a refresh stays empty`(moment: Moment) async throws {
        let store = store
        let provider = provider(interruptedAt: moment) { _ in try? await store.clear() }
        let answer = await outcome { () throws(NetworkError) in
            try await provider.refreshToken(rejecting: Secret("access-1"))
        }
        #expect(answer.error?.isUnauthorized == true)
        #expect(try await store.read() == nil)
        #expect(try await provider.currentToken() == nil)
    }

    @Test(arguments: Moment.allCases)
    func `a login during a refresh replaces the session`(moment: Moment) async throws {
        let login = Mutex<Task<Void, any Error>?>(nil)
        let provider = provider(interruptedAt: moment) { provider in
            let before = await provider.generation
            login.withLock { $0 = Task { try await provider.install(.number(8)) } }
            try await eventually("the login has begun") { await provider.generation > before }
        }
        _ = await outcome { () throws(NetworkError) in try await provider.refreshToken(rejecting: Secret("access-1")) }
        try await login.withLock { $0 }?.value
        #expect(try await store.read() == .number(8))
        #expect(try await provider.currentToken() == Secret("access-8"))
    }

    @Test func `a logout returns the tokens to revoke`() async throws {
        let provider = RefreshingTokenProvider(
            store: store, refresher: FakeRefresher { _, _ in .number(2) }, clock: clock)
        #expect(try await provider.logout() == .number(1))
        #expect(try await provider.logout() == nil)
    }

    @Test func `a logout clears a damaged store`() async throws {
        let directory = try TemporaryDirectory()
        let file = try FileTokenStore(directory: directory.path)
        try await file.write(.number(1))
        try "garbage".write(toFile: directory.path + "/default/tokens.json", atomically: false, encoding: .utf8)
        let provider = RefreshingTokenProvider(
            store: file, refresher: FakeRefresher { _, _ in .number(2) }, clock: clock)
        try await provider.logout()
        #expect(try await file.read() == nil)
    }

    @Test func `a login replaces a damaged store and takes effect at once`() async throws {
        let directory = try TemporaryDirectory()
        let file = try FileTokenStore(directory: directory.path)
        try await file.write(.number(1))
        try "garbage".write(toFile: directory.path + "/default/tokens.json", atomically: false, encoding: .utf8)
        let provider = RefreshingTokenProvider(
            store: file, refresher: FakeRefresher { _, _ in .number(2) }, clock: clock)
        try await provider.install(.number(5))
        #expect(try await provider.currentToken() == Secret("access-5"))
        #expect(try await file.read() == .number(5))
    }

    @Test(arguments: 0..<30)
    func `refreshes and logouts in any order leave no session`(seed: UInt64) async throws {
        let random = SeededRandom.fractions(seed: seed)
        let store = MemoryTokenStore(.number(1))
        let refresher = FakeRefresher { number, _ in
            for _ in 0..<Int(random() * 5) { await Task.yield() }
            return .number(number + 1)
        }
        let provider = RefreshingTokenProvider(store: store, refresher: refresher, clock: clock)
        await withTaskGroup { group in
            for number in 0..<20 {
                group.addTask { _ = try? await provider.refreshToken(rejecting: Secret("access-\(number % 3)")) }
                group.addTask { _ = try? await provider.currentToken() }
            }
            group.addTask { _ = try? await provider.logout() }
        }
        #expect(try await store.read() == nil)
        #expect(try await provider.currentToken() == nil)
    }
}
