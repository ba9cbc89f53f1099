import FoundationEssentials
import StrataConcurrency
import StrataSQLite
import StrataService
import StrataTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct LongReadTests {
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

    /// SQLite counts the steps of a prepared statement over its whole life, so about one in 300 ends of a transaction asks whether
    /// the limit of its read is exceeded.
    @Test func `2,000 reads that exceed the short limit leave their connection outside of a transaction`() async throws
    {
        try await withStore { store in
            for _ in 0..<2_000 {
                let count = try await store.read { try $0.row(Self.count(to: 4_000))?.int("count") }
                #expect(count == 4_000)
            }
            try await expectUsable(store)
        }
    }

    @Test func `2,000 reads that are cancelled leave their connection outside of a transaction`() async throws {
        try await withStore { store in
            for _ in 0..<2_000 {
                let runs = Mutex(0)
                let (long, isLong) = AsyncStream.makeStream(of: Void.self)
                let read = Task {
                    try await store.read { reader in
                        let run = runs.withLock { runs in
                            runs += 1
                            return runs
                        }
                        if run == 2 { isLong.finish() }
                        return try reader.row(Self.count(to: .max))
                    }
                }
                for await _ in long {}
                read.cancel()
                await #expect(throws: CancellationError.self) { _ = try await read.value }
            }
            try await expectUsable(store)
        }
    }

    /// Reads on each connection that the store may have, and a write.
    private func expectUsable(_ store: SQLiteStore) async throws {
        for number in 1...10 {
            let one = try await store.read { try $0.row("SELECT \(number) AS number")?.int("number") }
            #expect(one == number)
        }
        try await store.write { try $0.execute("CREATE TABLE t (id TEXT)") }
        try await expectRows(0, in: "t", of: store)
    }
}
