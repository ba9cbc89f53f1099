import FoundationEssentials
import StrataConcurrency
import StrataSQLite
import StrataService
import StrataTesting
import Testing

@Suite struct LongReadTests {
    private func withStore(_ body: (SQLiteStore) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let store = try await SQLiteStore.open(SQLiteLocation(path: "\(directory)/long.db"))
            try await body(store)
            try await store.close()
        }
    }

    private static func count(to last: Int) -> Statement {
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(last)) SELECT COUNT(*) AS count FROM n
        """
    }

    @Test func `a short read runs once and a long one again, each with its result`() async throws {
        try await withStore { store in
            for (last, runs) in [(10, 1), (300_000, 2)] {
                let begun = Mutex(0)
                let count = try await store.read { reader in
                    begun.withLock { $0 += 1 }
                    return try reader.row(Self.count(to: last))?.int("count")
                }
                #expect(count == last)
                #expect(begun.withLock { $0 } == runs)
            }
        }
    }

    @Test func `a long read runs again although its body catches the error`() async throws {
        try await withStore { store in
            let count = try await store.read { reader in (try? reader.row(Self.count(to: 300_000))?.int("count")) ?? -1
            }
            #expect(count == 300_000)
        }
    }

    @Test func `a cancelled long read ends`() async throws {
        try await withStore { store in
            let read = Task { try await store.read { try $0.row(Self.count(to: .max)) } }
            read.cancel()
            await #expect(throws: CancellationError.self) { _ = try await read.value }
            // Its connection is free for others.
            let one = try await store.read { try $0.row("SELECT 1 AS one")?.int("one") }
            #expect(one == 1)
        }
    }
}
