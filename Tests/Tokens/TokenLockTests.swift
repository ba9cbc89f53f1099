import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

struct TokenLockTests {
    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    @Test func `the error of a wait that takes too long names the lock`() async throws {
        let clock = ManualClock()
        let holder = try FileTokenStore(directory: directory.path)
        let store = try FileTokenStore(directory: directory.path, lockLimit: .milliseconds(200), clock: clock)
        let entered = Gate()
        let leave = Gate()
        let holding = Task {
            try await holder.withLock {
                entered.open()
                try await leave.wait()
            }
        }
        try await entered.wait()
        let done = CallCounter()
        let waiting = Task {
            defer { done.increment() }
            try await store.withLock {}
        }
        try await eventually("the wait ends") {
            clock.advance(by: .milliseconds(50))
            return done.value == 1
        }
        let error = await #expect(throws: TokenStoreError.self) { try await waiting.value }
        #expect(error?.description.contains(directory.path + "/default/tokens.json.lock") == true)
        leave.open()
        try await holding.value
        try await store.withLock {}
    }

    @Test func `a cancelled wait ends without taking the lock`() async throws {
        let clock = ManualClock()
        let holder = try FileTokenStore(directory: directory.path)
        let store = try FileTokenStore(directory: directory.path, clock: clock)
        let leave = Gate()
        let entered = Gate()
        let holding = Task {
            try await holder.withLock {
                entered.open()
                try await leave.wait()
            }
        }
        try await entered.wait()
        let waiting = Task { try await store.withLock { Issue.record("inside") } }
        await clock.waitForSleeper()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        leave.open()
        try await holding.value
    }
}
