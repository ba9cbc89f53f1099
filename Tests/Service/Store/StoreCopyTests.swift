import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataTesting
import Testing

import struct Synchronization.Atomic

@testable import StrataService

@Suite struct StoreCopyTests {
    private static let migrations = [
        ChangeLog.migration, SyncTables.migration, DigestTable.migration, SyncTimelines.migration, SyncTables.clients,
        ChangeLog.ownerMigration, ChangeOrder.migration, DigestTable.changesMigration, RowChanges.migration,
        Sessions.migration,
        IdempotencyLog.migration,
        IdempotencyLog.sizesMigration,
        // In alphabetical order the remark comes before the tide that it refers to.
        StoreMigration(
            "tides",
            "CREATE TABLE tide (id TEXT NOT NULL PRIMARY KEY, level BIGINT, photo BYTEA, depth DOUBLE PRECISION)",
            """
            CREATE TABLE remark (
                tide_id TEXT NOT NULL REFERENCES tide (id), place BIGINT NOT NULL, text TEXT,
                PRIMARY KEY (tide_id, place))
            """,
            "INSERT INTO tide (id, level) VALUES ('from the migration', 1)"),
    ]

    /// Each engine to each.
    private static let pairs = StoreEngine.all.flatMap { from in StoreEngine.all.map { Pair(from: from, to: $0) } }

    struct Pair: Sendable, CustomTestStringConvertible {
        let from: StoreEngine
        let to: StoreEngine
        var testDescription: String { "\(from) to \(to)" }
    }

    private static let texts = [
        "", "a", "Ünïcødé 🌊", "'; DROP TABLE tide; --", "\u{1}\n\t\\", "Z", "z", "é", "e\u{301}",
    ]

    /// - Parameter rows: Of the table `tide`; two thirds have a remark.
    private static func fill(_ store: any Store, rows: Int = 300) async throws {
        try await store.migrate(migrations)
        try await SyncTables.prepare(store, at: Date(timeIntervalSince1970: 1))
        try await store.write { transaction in
            try transaction.execute("DELETE FROM tide")
            for number in 0..<rows {
                let id = "\(texts[number % texts.count])\(number)"
                let photo = number % 2 == 0 ? Data([0, 255, UInt8(number % 256)]) : nil
                let depth: Double? = number % 5 == 0 ? nil : Double(number) / 3
                let level: Int? = number % 7 == 0 ? nil : Int.min + number
                try transaction.execute(
                    "INSERT INTO tide (id, level, photo, depth) VALUES (\(id), \(level), \(photo), \(depth))")
                try ChangeLog.stamp(
                    .put, collection: "tides", id: id, at: Date(timeIntervalSince1970: 2), in: transaction)
                guard number % 3 != 0 else { continue }
                try transaction.execute(
                    "INSERT INTO remark (tide_id, place, text) VALUES (\(id), \(number), \(texts[number % 9]))")
            }
            try transaction.execute(
                """
                INSERT INTO auth_session (id, user_id, device, created_at, last_used_at, expires_at)
                VALUES ('s', 'u', 'd', 1, 2, 3)
                """)
            try transaction.execute(
                """
                INSERT INTO auth_refresh_token (hash, session_id, generation, issued_at, expires_at)
                VALUES ('h', 's', 1, 2, 3)
                """)
        }
    }

    private static func digests(_ store: any CopyableStore) async throws -> Set<TableDigest> {
        try await store.read { reader in
            let tables = try store.tables(in: reader).filter { !CopyProgress.ownTables.contains($0.name) }
            return Set(try tables.map { try TableDigest(of: $0, in: reader) })
        }
    }

    private func withStores(
        _ pair: Pair, _ body: (any CopyableStore, any CopyableStore) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { one in
            try await withTemporaryDirectory { other in
                let source = try #require(
                    try await pair.from.open("\(one)/data.db", isShared: true) as? any CopyableStore)
                let target = try #require(
                    try await pair.to.open("\(other)/data.db", isShared: true) as? any CopyableStore)
                try await Self.fill(source)
                try await body(source, target)
                try await StoreEngine.close(source)
                try await StoreEngine.close(target)
            }
        }
    }

    private func copy(_ source: any CopyableStore, _ target: any CopyableStore) -> StoreCopy {
        StoreCopy(
            from: StoreCopy.Side(source, migrations: Self.migrations),
            to: StoreCopy.Side(target, migrations: Self.migrations))
    }

    @Test(arguments: pairs)
    func `a copy has every row and the identity of its source`(_ pair: Pair) async throws {
        try await withStores(pair) { source, target in
            let copied = try await copy(source, target).run()
            let expected = try await Self.digests(source)
            #expect(Set(copied) == expected)
            #expect(try await Self.digests(target) == expected)
            #expect(copied.first { $0.table == "tide" }?.rows == 300)
            #expect(copied.first { $0.table == "remark" }?.rows == 200)
            let positions = [
                try await source.read { try SyncTables.position(in: $0) },
                try await target.read { try SyncTables.position(in: $0) },
            ]
            #expect(positions[0].epoch == positions[1].epoch)
            // Where writers run side by side, versions are made of the ids of transactions.
            if !source.hasConcurrentWriters, !target.hasConcurrentWriters {
                #expect(positions[0] == positions[1] && positions[0].seq == 300)
            }
            // A server starts on it.
            try await target.migrate(Self.migrations)
            let names = try await target.read { reader in Set(try target.tables(in: reader).map(\.name)) }
            #expect(names.isDisjoint(with: ["copy_source", "copy_progress"]))
        }
    }

    @Test(arguments: pairs, [true, false])
    func `a copy that is interrupted again and again continues and loses nothing`(
        _ pair: Pair, afterCommit: Bool
    ) async throws {
        try await withStores(pair) { source, target in
            var interruptions = 0
            while true {
                // Each run copies the rows of one transaction.
                let cut = InterruptedStore(base: target, writes: afterCommit ? 1 : 2, afterCommit: afterCommit)
                do {
                    _ = try await copy(source, cut).run()
                    break
                } catch is InterruptedStore.Interruption { interruptions += 1 } catch let error as CopyError {
                    // The last write had made the copy complete.
                    #expect(afterCommit && error == .notEmpty("\(target)"))
                    break
                }
                try #require(interruptions < 200)
            }
            #expect(interruptions > 20)
            #expect(try await Self.digests(target) == Self.digests(source))
            try await target.migrate(Self.migrations)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `no server starts on an unfinished copy`(_ engine: StoreEngine) async throws {
        try await withStores(Pair(from: .sqlite, to: engine)) { source, target in
            let cut = InterruptedStore(base: target, writes: 15, afterCommit: true)
            await #expect(throws: InterruptedStore.Interruption.self) { try await copy(source, cut).run() }
            await #expect {
                try await target.migrate(Self.migrations)
            } throws: { error in
                guard case .failed(let message)? = error as? StoreError else { return false }
                return message.contains("is an unfinished copy; copy the same source again")
            }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a target with other contents is refused and stays as it is`(_ engine: StoreEngine) async throws {
        try await withStores(Pair(from: .sqlite, to: engine)) { source, target in
            try await Self.fill(target, rows: 3)
            let before = try await Self.digests(target)
            await #expect(throws: CopyError.notEmpty("\(target)")) { try await copy(source, target).run() }
            #expect(try await Self.digests(target) == before)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a copy does not continue after its source was written`(_ engine: StoreEngine) async throws {
        try await withStores(Pair(from: engine, to: .sqlite)) { source, target in
            let cut = InterruptedStore(base: target, writes: 15, afterCommit: true)
            await #expect(throws: InterruptedStore.Interruption.self) { try await copy(source, cut).run() }
            try await source.write { transaction in
                _ = try ChangeLog.stamp(
                    .delete, collection: "tides", id: "a1", at: Date(timeIntervalSince1970: 3), in: transaction)
            }
            await #expect(throws: CopyError.sourceChanged("\(source)")) { try await copy(source, target).run() }
        }
    }

    @Test func `a copy does not continue in the copy of another database`() async throws {
        try await withStores(Pair(from: .sqlite, to: .sqlite)) { source, target in
            let cut = InterruptedStore(base: target, writes: 15, afterCommit: true)
            await #expect(throws: InterruptedStore.Interruption.self) { try await copy(source, cut).run() }
            try await withStores(Pair(from: .sqlite, to: .sqlite)) { other, _ in
                await #expect(throws: CopyError.otherSource("\(target)")) { try await copy(other, target).run() }
            }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a row that is written during the copy is found at the end`(_ engine: StoreEngine) async throws {
        try await withStores(Pair(from: engine, to: .sqlite)) { source, target in
            await #expect(throws: CopyError.different("auth_session")) {
                try await copy(source, target).run(contents: {
                    try await source.write { _ = try $0.execute("UPDATE auth_session SET last_used_at = 9") }
                })
            }
            await #expect(throws: StoreError.self) { try await target.migrate(Self.migrations) }
        }
    }

    @Test func `a source of another schema is refused`() async throws {
        try await withStores(Pair(from: .sqlite, to: .sqlite)) { source, target in
            func program(with migrations: [StoreMigration]) -> StoreCopy {
                StoreCopy(
                    from: StoreCopy.Side(source, migrations: migrations),
                    to: StoreCopy.Side(target, migrations: migrations))
            }
            let newer = program(with: Self.migrations + [StoreMigration("newer", "SELECT 1")])
            await #expect(throws: CopyError.otherSchema("\(source)")) { try await newer.run() }
            let older = program(with: Self.migrations.dropLast())
            await #expect(throws: StoreError.self) { try await older.run() }
            let empty = copy(target, source)
            await #expect(throws: CopyError.otherSchema("\(target)")) { try await empty.run() }
        }
    }

    @Test(arguments: [true, false])
    func `the tables of contents are left out when only one side has them`(_ isSource: Bool) async throws {
        let blobs = StoreMigration("blobs-1", "CREATE TABLE blob (id TEXT NOT NULL PRIMARY KEY)")
        try await withStores(Pair(from: .sqlite, to: .sqlite)) { source, target in
            if isSource { try await source.migrate(Self.migrations + [blobs]) }
            let digests = try await StoreCopy(
                from: StoreCopy.Side(source, migrations: Self.migrations + (isSource ? [blobs] : [])),
                to: StoreCopy.Side(target, migrations: Self.migrations + (isSource ? [] : [blobs]))
            ).run()
            #expect(digests.contains { $0.table == "tide" } && !digests.contains { $0.table == "blob" })
            try await target.migrate(Self.migrations + (isSource ? [] : [blobs]))
        }
    }

    @Test func `a table that only one side has stops the copy`() async throws {
        let more = StoreMigration("more", "CREATE TABLE more (id TEXT NOT NULL PRIMARY KEY)")
        try await withStores(Pair(from: .sqlite, to: .sqlite)) { source, target in
            let copy = StoreCopy(
                from: StoreCopy.Side(source, migrations: Self.migrations),
                to: StoreCopy.Side(target, migrations: Self.migrations + [more]))
            await #expect(throws: CopyError.otherTable("more")) { try await copy.run() }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a second copy does not write beside the first`(_ engine: StoreEngine) async throws {
        try await withStores(Pair(from: .sqlite, to: engine)) { source, target in
            try await target.migrate([CopyProgress.migration] + Self.migrations)
            let tables = try await source.read { try source.tables(in: $0) }
            let table = try #require(tables.first { $0.name == "tide" })
            var next = CopyProgress.Place()
            (next.key, next.rows) = ([.text("a1")], 1)
            let moved = next
            let outcomes = try await target.write { transaction in
                let start = CopyProgress.Place()
                return [
                    try CopyProgress.advance(table, from: start, to: moved, in: transaction),
                    try CopyProgress.advance(table, from: start, to: moved, in: transaction),
                ]
            }
            #expect(outcomes == [true, false])
            #expect(try await target.read { try CopyProgress.place(of: table, in: $0) } == moved)
        }
    }

    @Test func `tables whose foreign keys form a circle are refused`() {
        let tables = [
            StoreTable("a", columns: ["id"], key: ["id"], parents: ["b"]),
            StoreTable("b", columns: ["id"], key: ["id"], parents: ["a"]),
        ]
        #expect(throws: CopyError.unorderable("a")) { try tables.inOrder() }
    }
}

/// A store whose writes fail after some, as if the program was killed before or after a commit.
private final class InterruptedStore: CopyableStore {
    struct Interruption: Error {}

    private let base: any CopyableStore
    private let afterCommit: Bool
    private let left: Atomic<Int>

    init(base: any CopyableStore, writes: Int, afterCommit: Bool) {
        self.base = base
        self.afterCommit = afterCommit
        left = Atomic(writes)
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result { try await base.read(body) }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        let isLast = left.subtract(1, ordering: .relaxed).newValue < 0
        if isLast, !afterCommit { throw Interruption() }
        let result = try await base.write(body)
        if isLast { throw Interruption() }
        return result
    }

    /// Migrations are writes of the store beneath, so they do not count here.
    func migrate(_ migrations: [StoreMigration]) async throws { try await base.migrate(migrations) }
    func tables(in reader: any StoreReader) throws -> [StoreTable] { try base.tables(in: reader) }
    var description: String { base.description }
}
