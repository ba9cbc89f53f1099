import Foundation
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTokens

/// The contract of every token store, the fake included.
struct TokenStoreContractTests {
    static let stores: [@Sendable (TemporaryDirectory) throws -> any TokenStore] = [
        { try FileTokenStore(directory: $0.path) },
        { _ in MemoryTokenStore() },
        { _ in InMemoryTokenStore() },
        { try FakeSecretTool(in: $0).store() },
    ]

    let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    @Test(arguments: stores.indices)
    func `a store is empty before a login and after a logout`(index: Int) async throws {
        let store = try Self.stores[index](directory)
        #expect(try await store.read() == nil)
        try await store.clear()
        try await store.write(.number(1))
        try await store.clear()
        #expect(try await store.read() == nil)
    }

    @Test(arguments: stores.indices)
    func `a read returns the last write`(index: Int) async throws {
        let store = try Self.stores[index](directory)
        try await store.write(.number(1))
        try await store.write(.number(2))
        #expect(try await store.read() == .number(2))
    }

    @Test(arguments: stores.indices)
    func `one task at a time has the lock`(index: Int) async throws {
        let store = try Self.stores[index](directory)
        let inside = CallCounter()
        let rounds = CallCounter()
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    try await store.withLock {
                        inside.increment()
                        let before = inside.value
                        for _ in 0..<20 { await Task.yield() }
                        #expect(inside.value == before)
                        rounds.increment()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(rounds.value == 8)
    }

    @Test(arguments: stores.indices)
    func `the lock is released after a failure`(index: Int) async throws {
        struct Failure: Error {}
        let store = try Self.stores[index](directory)
        await #expect(throws: Failure.self) { try await store.withLock { throw Failure() } }
        #expect(try await store.withLock { 7 } == 7)
    }
}
