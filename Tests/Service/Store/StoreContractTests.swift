import FoundationEssentials
import StrataFeatureTesting
import StrataService
import StrataTesting
import Testing

/// The contract of every implementation of `Store`.
@Suite struct StoreContractTests {
    private let schema = StoreMigration(
        "contract-1",
        "CREATE TABLE tide (id TEXT NOT NULL PRIMARY KEY, level BIGINT NOT NULL, photo BYTEA, depth DOUBLE PRECISION)",
        "CREATE TABLE remark (tide_id TEXT NOT NULL REFERENCES tide (id), text TEXT NOT NULL, CHECK (text <> ''))"
    )

    /// Stores of one database, as of several programs.
    private func openedThrice(_ engine: StoreEngine, _ directory: String) async throws -> [any Store] {
        var stores: [any Store] = []
        for _ in 1...3 { stores.append(try await engine.open("\(directory)/contract.db", isShared: true)) }
        return stores
    }

    private func withStore(_ engine: StoreEngine, _ body: (any Store) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let store = try await engine.open("\(directory)/contract.db", isShared: true)
            try await store.migrate([schema])
            try await body(store)
            try await StoreEngine.close(store)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a written value is read unchanged`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            let photo = Data([0, 255, 1, 0])
            let text = "Ünïcødé 🌊 \"quotes\" 'and' \\ \u{1}"
            try await store.write { transaction in
                try transaction.execute(
                    "INSERT INTO tide (id, level, photo, depth) VALUES (\(text), \(Int.min), \(photo), \(1.5))")
            }
            let row = try await store.read { try $0.row("SELECT * FROM tide WHERE id = \(text)") }
            #expect(try row?.text("id") == text)
            #expect(try row?.int("level") == Int.min)
            #expect(try row?.blob("photo") == photo)
        }
    }

    @Test(arguments: [
        "'; DROP TABLE tide; --", "' OR '1'='1", "\\'; DELETE FROM tide; --", "?", "$1", ":id", "%", "\u{202E}drop",
    ])
    func `text that looks like SQL is text`(_ text: String) async throws {
        for engine in StoreEngine.all {
            try await withStore(engine) { store in
                try await store.write { transaction in
                    try transaction.execute("INSERT INTO tide (id, level) VALUES (\("other"), \(1))")
                    try transaction.execute("INSERT INTO tide (id, level) VALUES (\(text), \(2))")
                }
                let rows = try await store.read { try $0.rows("SELECT level FROM tide WHERE id = \(text)") }
                #expect(try rows.map { try $0.int("level") } == [2])
                let all = try await store.count("tide")
                #expect(all == 2)
            }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a body that throws is rolled back`(_ engine: StoreEngine) async throws {
        struct Stop: Error {}
        try await withStore(engine) { store in
            await #expect(throws: Stop.self) {
                try await store.write { transaction in
                    try transaction.execute("INSERT INTO tide (id, level) VALUES ('a', 1)")
                    throw Stop()
                }
            }
            let left = try await store.count("tide")
            #expect(left == 0)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a failed attempt is rolled back and the transaction continues`(_ engine: StoreEngine) async throws {
        struct Stop: Error {}
        try await withStore(engine) { store in
            try await store.write { transaction in
                try transaction.execute("INSERT INTO tide (id, level) VALUES ('before', 1)")
                #expect(throws: Stop.self) {
                    try transaction.attempt {
                        try transaction.execute("INSERT INTO tide (id, level) VALUES ('inside', 1)")
                        throw Stop()
                    }
                }
                #expect(throws: StoreError.self) {
                    try transaction.attempt {
                        try transaction.execute("INSERT INTO tide (id, level) VALUES ('before', 1)")
                    }
                }
                let kept = try transaction.attempt {
                    try transaction.execute("INSERT INTO tide (id, level) VALUES ('after', 1)")
                }
                #expect(kept == 1)
            }
            let ids = try await store.read { try $0.rows("SELECT id FROM tide ORDER BY id").map { try $0.text("id") } }
            #expect(ids == ["after", "before"])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `broken constraints say so`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            let statements: [Statement] = [
                "INSERT INTO tide (id, level) VALUES ('a', 1)",
                "INSERT INTO tide (id, level) VALUES ('b', NULL)",
                "INSERT INTO remark (tide_id, text) VALUES ('nowhere', 'x')",
                "INSERT INTO remark (tide_id, text) VALUES ('a', '')",
                "INSERT INTO tide (id, level) VALUES (\("nul \u{0} inside"), 1)",
            ]
            try await store.write { try $0.execute("INSERT INTO tide (id, level) VALUES ('a', 1)") }
            for statement in statements {
                do {
                    try await store.write { try $0.execute(statement) }
                    Issue.record("accepted: \(statement.sql { _ in "?" })")
                } catch StoreError.constraint {
                    continue
                }
            }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a broken statement is a StoreError without values`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            do {
                _ = try await store.read { try $0.rows("SELECT nothing FROM nowhere WHERE x = \("secret-value")") }
                Issue.record("accepted")
            } catch StoreError.failed(let message) {
                #expect(!message.contains("secret-value"))
            }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a read cannot write`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            await #expect(throws: StoreError.self) {
                try await store.read { try $0.rows("INSERT INTO tide (id, level) VALUES ('a', 1) RETURNING id") }
            }
            try await expectRows(0, in: "tide", of: store)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `returning, upserts and keyset paging work`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                for level in 1...5 {
                    let upsert: Statement = """
                        INSERT INTO tide (id, level) VALUES (\("t\(level % 3)"), \(level))
                        ON CONFLICT (id) DO UPDATE SET level = excluded.level RETURNING level
                        """
                    let row = try transaction.row(upsert)
                    #expect(try row?.int("level") == level)
                }
            }
            let page = try await store.read { reader in
                try reader.rows("SELECT id, level FROM tide WHERE id > \("t0") ORDER BY id LIMIT \(10)").map {
                    try $0.int("level")
                }
            }
            #expect(page == [4, 5])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a hundred writers at once lose no update`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { try $0.execute("INSERT INTO tide (id, level) VALUES ('a', 0)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        try await store.write { transaction in
                            let level = try transaction.row("SELECT level FROM tide WHERE id = 'a'")?.int("level") ?? 0
                            _ = try transaction.execute("UPDATE tide SET level = \(level + 1) WHERE id = 'a'")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let level = try await store.read { try $0.row("SELECT level FROM tide")?.int("level") }
            #expect(level == 100)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a read sees one snapshot while others write`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            // PostgreSQL runs a read again in a transaction when a second statement comes, and knows it from then on.
            _ = try await store.read { reader in try (0..<2).map { _ in try reader.rows("SELECT * FROM tide").count } }
            let looking = BlockingFlag()
            let written = BlockingFlag()
            async let counts = BlockingReader().read(store) { reader in
                let before = try reader.rows("SELECT * FROM tide").count
                looking.raise()
                written.wait()
                return [before, try reader.rows("SELECT * FROM tide").count]
            }
            try await BlockingPool(threads: 1, queueLimit: 1).run { looking.wait() }
            try await store.write { try $0.execute("INSERT INTO tide (id, level) VALUES ('a', 0)") }
            written.raise()
            #expect(try await counts == [0, 0])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a migration runs once and a failing one leaves nothing`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            let insert = StoreMigration("contract-2", "INSERT INTO tide (id, level) VALUES ('m', 1)")
            try await store.migrate([schema, insert])
            try await store.migrate([schema, insert])
            let broken = StoreMigration("contract-3", "CREATE TABLE half (id TEXT)", "CREATE TABLE tide (id TEXT)")
            await #expect(throws: StoreError.self) { try await store.migrate([schema, insert, broken]) }
            await #expect(throws: StoreError.self) { try await store.read { try $0.rows("SELECT * FROM half") } }
            try await expectRows(1, in: "tide", of: store)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a column that is missing or has another type is an error`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { try $0.execute("INSERT INTO tide (id, level) VALUES ('a', 7)") }
            let row = try #require(try await store.read { try $0.row("SELECT * FROM tide") })
            #expect(throws: StoreError.column("nothing", expected: "a column of the result")) { try row.int("nothing") }
            #expect(throws: StoreError.column("id", expected: "an integer")) { try row.int("id") }
            #expect(try row.isNull("photo"))
            #expect(try row.intIfAny("level") == 7)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `texts sort by their bytes`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                for id in ["b", "ä", "Z", "a b", "a", "ab", "_", "é"] {
                    try transaction.execute("INSERT INTO tide (id, level) VALUES (\(id), 1)")
                }
            }
            let ids = try await store.read { try $0.rows("SELECT id FROM tide ORDER BY id").map { try $0.text("id") } }
            #expect(ids == ["Z", "_", "a", "a b", "ab", "b", "ä", "é"])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `an error that was caught does not end the transaction of an attempt`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            try await store.write { transaction in
                for level in 1...3 {
                    _ = try? transaction.attempt {
                        try transaction.execute("INSERT INTO tide (id, level) VALUES ('a', \(level))")
                    }
                }
            }
            let levels = try await store.read { try $0.rows("SELECT level FROM tide").map { try $0.int("level") } }
            #expect(levels == [1])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a later statement is seen by the next one, and is committed`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            let levels = try await store.write { transaction in
                try transaction.executeLater("INSERT INTO tide (id, level) VALUES ('a', 1)", orThrow: nil)
                let levels = try transaction.rows("SELECT level FROM tide").map { try $0.int("level") }
                try transaction.executeLater("INSERT INTO tide (id, level) VALUES ('b', 2)", orThrow: nil)
                return levels
            }
            #expect(levels == [1])
            try await expectRows(2, in: "tide", of: store)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a later statement that breaks a constraint ends the write with the error of its caller`(
        _ engine: StoreEngine
    ) async throws {
        struct Taken: Error {}
        try await withStore(engine) { store in
            try await store.write { try $0.execute("INSERT INTO tide (id, level) VALUES ('a', 1)") }
            await #expect(throws: Taken.self) {
                try await store.write { transaction in
                    try transaction.execute("INSERT INTO tide (id, level) VALUES ('b', 1)")
                    try transaction.executeLater("INSERT INTO tide (id, level) VALUES ('a', 2)", orThrow: Taken())
                }
            }
            await #expect {
                try await store.write { transaction in
                    try transaction.executeLater("INSERT INTO tide (id, level) VALUES ('a', 2)", orThrow: nil)
                }
            } throws: { error in
                if case StoreError.constraint = error { true } else { false }
            }
            try await expectRows(1, in: "tide", of: store)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `an attempt whose later statement fails is rolled back, and the transaction continues`(
        _ engine: StoreEngine
    ) async throws {
        struct Taken: Error {}
        try await withStore(engine) { store in
            try await store.write { transaction in
                try transaction.executeLater("INSERT INTO tide (id, level) VALUES ('before', 1)", orThrow: nil)
                #expect(throws: Taken.self) {
                    try transaction.attempt {
                        try transaction.execute("INSERT INTO tide (id, level) VALUES ('inside', 1)")
                        try transaction.executeLater(
                            "INSERT INTO tide (id, level) VALUES ('before', 1)", orThrow: Taken())
                    }
                }
                try transaction.execute("INSERT INTO tide (id, level) VALUES ('after', 1)")
            }
            let ids = try await store.read { try $0.rows("SELECT id FROM tide ORDER BY id").map { try $0.text("id") } }
            #expect(ids == ["after", "before"])
        }
    }

    @Test(arguments: StoreEngine.all)
    func `numbers, sums and missing values are read in their types`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            let empty: String? = nil
            try await store.write { transaction in
                let changed = try transaction.execute(
                    "INSERT INTO tide (id, level, depth) VALUES ('a', 1, \(0.1)), ('b', \(Int.max - 1), NULL)")
                #expect(changed == 2)
            }
            let row = try #require(
                try await store.read { reader in
                    try reader.row(
                        """
                        SELECT SUM(level) AS total, COUNT(*) AS count, MAX(depth) AS depth, \(empty) AS missing FROM tide
                        """)
                })
            #expect(try row.int("total") == Int.max)
            #expect(try row.int("count") == 2)
            #expect(try row.double("depth") == 0.1)
            #expect(try row.textIfAny("missing") == nil)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a large blob and a long text are read unchanged`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            let photo = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            let text = String(repeating: "ä🌊 ", count: 100_000)
            try await store.write { transaction in
                try transaction.execute("INSERT INTO tide (id, level, photo) VALUES ('a', 1, \(photo))")
                try transaction.execute("INSERT INTO remark (tide_id, text) VALUES ('a', \(text))")
            }
            let row = try await store.read { reader in
                try reader.row("SELECT photo, text FROM tide JOIN remark ON tide_id = id")
            }
            #expect(try row?.blob("photo") == photo)
            #expect(try row?.text("text") == text)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a cancelled write is rolled back`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            let inside = BlockingFlag()
            let cancelled = BlockingFlag()
            let write = Task {
                try await store.write { transaction in
                    try transaction.execute("INSERT INTO tide (id, level) VALUES ('a', 1)")
                    inside.raise()
                    cancelled.wait()
                }
            }
            try await BlockingPool(threads: 1, queueLimit: 1).run { inside.wait() }
            write.cancel()
            cancelled.raise()
            await #expect(throws: (any Error).self) { try await write.value }
            try await expectRows(0, in: "tide", of: store)
        }
    }

    @Test(arguments: StoreEngine.all)
    func `calls after the end are refused`(_ engine: StoreEngine) async throws {
        try await withTemporaryDirectory { directory in
            let store = try await engine.open("\(directory)/contract.db", isShared: true)
            try await StoreEngine.close(store)
            await #expect(throws: StoreError.self) { try await store.read { try $0.rows("SELECT 1 AS one").count } }
            await #expect(throws: StoreError.self) { try await store.write { try $0.execute("SELECT 1") } }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `a database that a newer program migrated is refused`(_ engine: StoreEngine) async throws {
        try await withStore(engine) { store in
            try await store.migrate([schema, StoreMigration("contract-9", "CREATE TABLE later (id TEXT)")])
            await #expect {
                try await store.migrate([schema])
            } throws: { error in
                guard case StoreError.failed(let message) = error else { return false }
                return message.contains("'contract-9', which this program does not know")
            }
        }
    }

    @Test(arguments: [
        ("DROP TABLE remark", "lacks the table 'remark'"),
        ("DROP INDEX tide_by_level", "lacks the index 'tide_by_level'"),
        ("ALTER TABLE tide DROP COLUMN depth", "lacks the column 'depth' of tide"),
    ])
    func `a database that lacks a part of its schema is refused`(change: String, words: String) async throws {
        for engine in StoreEngine.all {
            try await withStore(engine) { store in
                let index = StoreMigration("contract-2", "CREATE INDEX tide_by_level ON tide (level)")
                try await store.migrate([schema, index])
                try await store.write { try $0.execute(Statement(stringLiteral: change)) }
                await #expect {
                    try await store.migrate([schema, index])
                } throws: { error in
                    guard case StoreError.failed(let message) = error else { return false }
                    return message.contains(words)
                }
            }
        }
    }

    @Test(arguments: StoreEngine.all)
    func `programs that start at once run each migration once`(_ engine: StoreEngine) async throws {
        try await withTemporaryDirectory { directory in
            let stores = try await openedThrice(engine, directory)
            let insert = StoreMigration("contract-2", "INSERT INTO tide (id, level) VALUES ('m', 1)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in stores { group.addTask { [schema] in try await store.migrate([schema, insert]) } }
                try await group.waitForAll()
            }
            try await expectRows(1, in: "tide", of: stores[0])
            for store in stores { try await StoreEngine.close(store) }
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: StoreEngine.all)
    func `a reader that follows a counter misses no write of several programs`(_ engine: StoreEngine) async throws {
        try await withTemporaryDirectory { directory in
            let stores = try await openedThrice(engine, directory)
            try await stores[0].migrate([schema])
            try await stores[0].write { try $0.execute("INSERT INTO tide (id, level) VALUES ('counter', 0)") }
            let total = 180
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in stores {
                    for _ in 0..<6 {
                        group.addTask {
                            for _ in 0..<total / 18 {
                                try await store.write { transaction in
                                    let next = try transaction.row(
                                        "UPDATE tide SET level = level + 1 WHERE id = 'counter' RETURNING level")
                                    let level = try next?.int("level") ?? 0
                                    try transaction.execute(
                                        "INSERT INTO tide (id, level) VALUES (\("n\(level)"), \(level))")
                                }
                            }
                        }
                    }
                    group.addTask {
                        var seen: [Int] = []
                        try await eventually("the reader sees the last write") {
                            let last = seen.last ?? 0
                            seen += try await store.read { reader in
                                try reader.rows(
                                    "SELECT level FROM tide WHERE level > \(last) AND id <> 'counter' ORDER BY level"
                                ).map { try $0.int("level") }
                            }
                            return seen.last == total
                        }
                        #expect(seen == Array(1...total))
                    }
                }
                try await group.waitForAll()
            }
            for store in stores { try await StoreEngine.close(store) }
        }
    }
}
