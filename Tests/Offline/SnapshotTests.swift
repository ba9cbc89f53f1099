import FoundationEssentials
import GRDB
import StrataConcurrency
import StrataDomain
import StrataTesting
import Testing

@testable import StrataOffline

/// A row that states its columns, one of each kind.
struct CardRow: OfflineRow, Equatable {
    static let collectionName = "cards"
    static let databaseTableName = "card"
    static let migrations = [
        OfflineMigration(
            "1",
            """
            CREATE TABLE card (
                id TEXT PRIMARY KEY, title TEXT NOT NULL, level TEXT NOT NULL, size INTEGER NOT NULL, open BOOLEAN NOT NULL,
                due INTEGER NOT NULL, note TEXT, version INTEGER NOT NULL, updated_at INTEGER NOT NULL)
            """)
    ]
    static let columns: [OfflineColumn]? = [
        OfflineColumn("title", .text), OfflineColumn("level", .text, choices: ["low", "high"]),
        OfflineColumn("size", .integer), OfflineColumn("open", .flag), OfflineColumn("due", .time),
        OfflineColumn("note", .text, isOptional: true), .version,
        .updatedAt,
    ]

    var id: String
    var title: String
    var level: String
    var size: Int
    var open: Bool
    var due: Date
    var note: String?
    var version: Int
    var updatedAt: Date

    enum CodingKeys: String, CodingKey {
        case id, title, level, size, open, due, note, version
        case updatedAt = "updated_at"
    }

    init(id: String, fields: WireFields, stamp: RowStamp) throws {
        self.id = id
        title = try fields.string("title")
        level = try fields.required("level", "low or high") { ["low", "high"].contains($0.string) ? $0.string : nil }
        size = try fields.integer("size")
        open = try fields.required("open", "true or false") { if case .bool(let flag) = $0 { flag } else { nil } }
        due = try fields.time("due")
        note = try fields.optionalString("note")
        version = stamp.version
        updatedAt = stamp.updatedAt
    }
}

/// A store of cards and notes that may start with a snapshot.
final class CardHome: Sendable {
    let directory: TemporaryDirectory
    let database: OfflineDatabase
    let store: OfflineStore
    let link: SnapshotLink
    let engine: SyncEngine

    init(
        _ server: FakeSyncServer, in directory: TemporaryDirectory? = nil, snapshots: Bool = true, rows: Int = 4
    ) async throws {
        let directory = try directory ?? TemporaryDirectory()
        let (clock, random) = (ManualWallClock(), RandomSource(SeededRandom(seed: 3)))
        self.directory = directory
        database = try await OfflineDatabase.open(
            at: "\(directory.path)/cards.sqlite", collections: [CardRow.collection, NoteRow.collection],
            wallClock: clock, log: Home.quiet)
        store = OfflineStore(database: database, wallClock: clock, random: random)
        link = SnapshotLink(FakeLink(server))
        engine = SyncEngine(
            database: database, client: snapshots ? link : link.link,
            settings: .init(pageSize: 3, verifiedRows: 0, snapshotRows: rows), clock: ManualClock(), wallClock: clock,
            random: random, log: Home.quiet)
    }

    @discardableResult
    func sync() async throws(DomainError) -> SyncReport { try await engine.sync() }

    /// Everything that is stored, but for ids made here and for where the store stands.
    func content() async throws -> [String] {
        let tables = [
            ("card", "*"), ("note", "*"), ("base_row", "collection, entity_id, version, updated_at, data, checksum"),
            ("outbox", "client_seq, collection, entity_id, operation, base_version, fields, state"),
            ("conflict", "collection, entity_id, version, data, fields, reason"),
            ("deferred_row", "collection, entity_id, version, data"),
        ]
        return try await store.read { db in
            try tables.flatMap { table, columns in
                try Row.fetchAll(db, sql: "SELECT \(columns) FROM \(table) ORDER BY 1, 2").map { "\(table) \($0)" }
            }
        }
    }

    var cursor: String? {
        get async throws { try await store.read { try String.fetchOne($0, sql: "SELECT cursor FROM cursor") } }
    }
}

@Suite struct `A snapshot` {
    private let server = FakeSyncServer()

    private static let card: [String: JSONValue] = [
        "title": "Bilge", "level": "low", "size": 3, "open": .bool(true), "due": "2026-11-21T09:05:00.250Z",
    ]

    /// A card with some fields as they should not be, or as they seldom are.
    private static let cards: [[String: JSONValue]] = [
        [:], ["note": "seen"], ["title": ""], ["title": "ünï — 🚢 漢字"], ["title": "tab\t line\n quote\" back\\ cr\r /"],
        ["title": "bell\u{07} form\u{0C} back\u{08} nul\u{1F}"],
        ["title": .string(String(repeating: "long ", count: 2000))],
        ["level": "extreme"], ["level": 3], ["size": -12], ["size": 0], ["size": .number(1.5)], ["size": "3"],
        ["size": .integer(Int.max)], ["open": .bool(false)], ["open": "yes"], ["due": "2026-11-21T10:05:00+01:00"],
        ["due": "soon"], ["due": "2026-02-30T09:05:00.250Z"], ["due": "0000-01-01T00:00:00.000Z"], ["note": 3],
        ["later": "a field of a newer version"], ["tags": .array(["a", "b"])], ["deep": .object(["a": .null])],
        ["key with \"quotes\"": 1], ["key ü": 1, "Key": 2, "key": 3, "key_2": 4], ["note": "null"],
        ["flag": .bool(false)],
    ]

    private func fill() {
        for (number, fields) in Self.cards.enumerated() {
            server.put("cards", "c\(number)", Self.card.merging(fields) { $1 })
        }
        server.put("cards", "missing", ["title": "no level"])
        for number in 0..<9 { server.put("notes", "n\(number)", ["text": .string("note \(number)")]) }
        server.put("tides", "t1", ["height": 3])
    }

    @Test func `a snapshot stores the same rows as pages do, byte for byte`() async throws {
        fill()
        let (fast, slow) = (try await CardHome(server), try await CardHome(server, snapshots: false))
        let (one, two) = (try await fast.sync(), try await slow.sync())
        #expect(one == two && one.pulled == Self.cards.count + 10)
        let content = try await fast.content()
        #expect(content.count > 60)
        #expect(try await content == slow.content())
        #expect(try await fast.cursor == slow.cursor)
        #expect(fast.link.pages == [nil])
        // The cursor behind it goes on.
        server.put("cards", "c0", ["title": "Changed"])
        #expect(try await fast.sync() == SyncReport(pulled: 1))
        try await slow.sync()
        #expect(try await fast.content() == slow.content())
    }

    @Test func `observers see the rows of a snapshot`() async throws {
        fill()
        let home = try await CardHome(server)
        var changes = home.store.changes(in: "cards", on: ManualClock()).makeAsyncIterator()
        await changes.next()
        try await home.sync()
        #expect(await changes.next() != nil)
    }

    @Test(arguments: [1, 100, 700, 1500, 3000, 5200, 9000]) func `a snapshot continues wherever it was cut off`(
        count: Int
    )
        async throws
    {
        fill()
        let whole = try await CardHome(server)
        try await whole.sync()
        let directory = try TemporaryDirectory()
        for run in 0..<100 {
            // Each run is another process.
            let home = try await CardHome(server, in: directory)
            home.link.cut(after: count + run * 200)
            let report = try? await home.sync()
            let first =
                run == 0 ? nil : try await home.store.read { try String.fetchOne($0, sql: "SELECT page FROM cursor") }
            #expect(home.link.pages.dropFirst().allSatisfy { $0 != nil }, "Nothing is begun anew.")
            if report != nil {
                #expect(first == nil)
                #expect(try await home.content() == whole.content())
                #expect(try await home.cursor == whole.cursor)
                return
            }
            try await home.database.close()
        }
        Issue.record("It never came to its end.")
    }

    @Test func `the rest of a cut snapshot is requested at once while rows arrive`() async throws {
        fill()
        let home = try await CardHome(server)
        home.link.cut(after: 2000)
        _ = try? await home.sync()
        #expect(home.link.pages.count > 2)
        let pages = home.link.pages.compactMap(\.self)
        #expect(Set(pages.dropLast()).count >= pages.count - 1, "It is never asked twice for what came.")
    }

    @Test func `a write made during a snapshot is kept and sent`() async throws {
        fill()
        let home = try await CardHome(server)
        home.link.cut(after: 900)
        await #expect(throws: DomainError.self) { try await home.sync() }
        try await home.store.patch("cards", "c0", ["title": "Mine"])
        try await home.store.create("notes", "mine", ["text": "new"])
        server.put("cards", "c0", ["note": "theirs"])
        home.link.healed()
        try await home.sync()
        #expect(server.live("cards")["c0"]?["title"] == "Mine")
        #expect(server.live("cards")["c0"]?["note"] == "theirs")
        #expect(server.live("notes")["mine"] == ["text": "new"])
        try await home.sync()
        let fresh = try await CardHome(server)
        try await fresh.sync()
        #expect(try await home.content() == fresh.content())
    }

    @Test(arguments: 0..<20) func `a snapshot replaces a store as pages do`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        fill()
        let (fast, slow) = (try await CardHome(server), try await CardHome(server, snapshots: false))
        for home in [fast, slow] { try await home.sync() }
        for number in 0..<12 {
            let id = "c\(Int.random(in: 0..<6, using: &random))"
            switch Int.random(in: 0..<5, using: &random) {
            case 0: server.put("cards", id, ["title": .string("theirs \(number)")])
            case 1: server.remove("cards", id)
            case 2: server.put("cards", id, ["note": .string("n\(number)")])
            case 3:
                for home in [fast, slow] {
                    try? await home.store.patch("cards", id, ["title": .string("mine \(number)")])
                }
            default: for home in [fast, slow] { try? await home.store.delete("cards", id) }
            }
        }
        // One sends nothing, so that both meet the same server.
        server.with { state in
            state.horizon = state.seq + 1
            state.refuse = { _ in Problem(title: "Not now", status: 503) }
        }
        for home in [fast, slow] {
            home.link.link.onRequest { name, _ in name == "push" ? .refuse(.server(503, nil)) : nil }
            _ = try? await home.engine.pull()
        }
        #expect(fast.link.pages.last == .some(nil))
        #expect(try await fast.content() == slow.content())
    }

    @Test func `a snapshot removes rows that the server no longer has, but no unsent edit`() async throws {
        fill()
        let home = try await CardHome(server)
        try await home.sync()
        try await home.store.patch("cards", "c1", ["title": "Mine"])
        for number in 0..<6 { server.remove("cards", "c\(number)") }
        server.with { $0.horizon = $0.seq }
        home.link.link.onRequest { name, _ in name == "push" ? .refuse(.unauthorized(nil)) : nil }
        let report = try await home.engine.pull()
        #expect(report.pulled == 6 && report.conflicts == 1)
        let ids = try await home.store.read {
            try String.fetchAll($0, sql: "SELECT id FROM card WHERE id < 'c6' ORDER BY id")
        }
        #expect(!ids.contains("c0") && !ids.contains("c5") && ids.contains("c1"))
        #expect(try await home.store.conflicts().map(\.entityId) == ["c1"])
    }

    @Test func `a snapshot of another epoch starts again, once in a run`() async throws {
        fill()
        let home = try await CardHome(server)
        home.link.cut(after: 3000)
        await #expect(throws: DomainError.self) { try await home.sync() }
        let before = home.link.pages.count
        home.link.healed()
        server.with { $0.epoch = 2 }
        try await home.sync()
        let pages = home.link.pages.dropFirst(before)
        #expect(pages.count == 2 && pages.first != .some(nil) && pages.last == .some(nil))
        let fresh = try await CardHome(server)
        try await fresh.sync()
        #expect(try await home.content() == fresh.content())
    }

    @Test func `a snapshot that starts again removes the rows of the first attempt`() async throws {
        fill()
        let home = try await CardHome(server)
        home.link.cut(after: 3000)
        await #expect(throws: DomainError.self) { try await home.sync() }
        let ids = try await home.store.read { try String.fetchAll($0, sql: "SELECT id FROM card ORDER BY id") }
        #expect(ids.count > 4)
        for id in ids.prefix(3) { server.remove("cards", id) }
        home.link.healed()
        server.with { $0.epoch = 2 }
        try await home.sync()
        let fresh = try await CardHome(server)
        try await fresh.sync()
        #expect(try await home.content() == fresh.content())
    }

    @Test func `a snapshot into an emptied store removes nothing, and the next one does`() async throws {
        let home = try await CardHome(server)
        try await home.sync()
        fill()
        for _ in 0..<2 {
            server.remove("cards", "c3")
            server.with { $0.horizon = $0.seq }
            try await home.sync()
            let fresh = try await CardHome(server)
            try await fresh.sync()
            #expect(try await home.content() == fresh.content())
            server.remove("cards", "c5")
        }
    }

    @Test func `pages replace a snapshot that the server no longer offers`() async throws {
        fill()
        let directory = try TemporaryDirectory()
        let first = try await CardHome(server, in: directory)
        first.link.cut(after: 3000)
        await #expect(throws: DomainError.self) { try await first.sync() }
        try await first.database.close()
        let second = try await CardHome(server, in: directory, snapshots: false)
        try await second.sync()
        let fresh = try await CardHome(server)
        try await fresh.sync()
        #expect(try await second.content() == fresh.content())
        #expect(try await second.store.read { try String.fetchOne($0, sql: "SELECT page FROM cursor") } == nil)
    }

    @Test(arguments: [
        "[\"cards\",\"x\",1,0,{\"title\":\"cut\n", "[\"cards\",\"x\"]\n", "nonsense\n", "{\"odd\":1}\n", "[]\n", "\n",
        "[\"cards\",\"x\",1,0,{}] trailing\n", "[\"cards\",3,1,0,{}]\n", "[\"cards\",\"x\",1.5,0,{}]\n",
        "[\"cards\",\"x\",1,0,[]]\n", "[\"cards\",\"x\",1,0,null]\n", "[\"cards\",\"x\",\"1\",0,{}]\n",
        "{\"page\":3}\n",
        "[\"cards\",\"x\",1,0,{}],[\"cards\",\"y\",1,0,{}]\n",
        "{\"up_to\":9,\"rows\":0}\n", "{\"cursor\":\"1/9/0/0\",\"up_to\":9,\"rows\":7}\n",
    ])
    func `a malformed line is an error that loses nothing`(line: String) async throws {
        fill()
        let home = try await CardHome(server)
        home.link.onSnapshot { lines in
            // In the middle of the second page.
            let text = String(decoding: lines, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            let spoilt = text.prefix(7).joined(separator: "\n") + "\n" + line
            return (Array((spoilt + text.dropFirst(8).joined(separator: "\n")).utf8), false)
        }
        await #expect(throws: DomainError.self) { try await home.sync() }
        #expect(try await home.cursor == nil, "The cursor is never ahead of the rows.")
        let kept = try await home.store.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM base_row") ?? 0 }
        #expect(kept >= 4, "The page before is stored.")
        home.link.healed()
        try await home.sync()
        let fresh = try await CardHome(server)
        try await fresh.sync()
        #expect(try await home.content() == fresh.content())
    }

    @Test func `a line with invalid UTF-8 is refused`() async throws {
        fill()
        let home = try await CardHome(server)
        home.link.onSnapshot { lines in (lines.map { $0 == UInt8(ascii: "B") ? 0xC3 : $0 }, false) }
        await #expect(throws: DomainError.self) { try await home.sync() }
        #expect(try await home.content() == [])
    }

    @Test func `a line without end is refused before it fills the memory`() async throws {
        let home = try await CardHome(server)
        home.link.onSnapshot { _ in ([UInt8](repeating: UInt8(ascii: "["), count: 17 << 20), false) }
        await #expect(throws: DomainError.self) { try await home.sync() }
    }

    @Test func `large pages are stored in pieces, so that memory stays bounded`() throws {
        var cutter = SnapshotCutter()
        let row = Array("[\"notes\",\"n\",1,0,{\"text\":\"\(String(repeating: "x", count: 1 << 20))\"}]\n".utf8)
        for _ in 0..<10 { cutter.append(Data(row)) }
        cutter.append(Data("{\"page\":\"p\"}\n".utf8))
        var sizes: [Int] = []
        while let batch = try cutter.next() {
            sizes.append(batch.lines.count)
            #expect((batch.page == nil) == (sizes.count < 6))
        }
        #expect(sizes.count == 6 && sizes.reduce(0, +) == row.count * 10)
        #expect(sizes.allSatisfy { $0 <= 3 << 20 })
    }

    @Test func `a snapshot on a full disk loses nothing, and continues when there is space`() async throws {
        for number in 0..<400 {
            server.put(
                "cards", "c\(1000 + number)",
                Self.card.merging(["note": .string(String(repeating: "x", count: 400))]) { $1 })
        }
        let home = try await CardHome(server, rows: 50)
        func limit(_ extra: Int) async throws {
            try await home.database.writer.writeWithoutTransaction { db in
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                try db.execute(sql: "PRAGMA max_page_count = \(extra == 0 ? 1_000_000 : pages + extra)")
            }
        }
        try await limit(40)
        let error = await #expect(throws: DomainError.self) { try await home.sync() }
        guard case .storage(let text) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("No space left"))
        let kept = try await home.store.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM card") ?? 0 }
        #expect(kept > 0 && kept < 400 && kept % 50 == 0, "Whole pages, each with its position.")
        try await limit(0)
        try await home.sync()
        #expect(home.link.pages.last != .some(nil), "It went on where it was.")
        #expect(try await home.store.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM card") } == 400)
    }

    @Test func `a local write is synchronised to disk after any snapshot`()
        async throws
    {
        fill()
        let home = try await CardHome(server)
        func level() async throws -> Int? {
            try await home.database.writer.writeWithoutTransaction { db in
                #expect(try Int.fetchOne(db, sql: "PRAGMA wal_autocheckpoint") == OfflineDatabase.pagesInLog)
                #expect(try Int.fetchOne(db, sql: "PRAGMA cache_size") == -2000)
                return try Int.fetchOne(db, sql: "PRAGMA synchronous")
            }
        }
        home.link.cut(after: 2000)
        _ = try? await home.sync()
        #expect(try await level() == 2)
        home.link.onSnapshot { lines in (lines.map { $0 == UInt8(ascii: "[") ? UInt8(ascii: "(") : $0 }, false) }
        _ = try? await home.sync()
        #expect(try await level() == 2, "After a transaction that failed.")
        home.link.healed()
        let cancelled = Task { try await home.sync() }
        cancelled.cancel()
        _ = try? await cancelled.value
        #expect(try await level() == 2, "After a cancellation.")
        try await home.sync()
        #expect(try await level() == 2)
    }

    @Test func `a server that repeats a page mark gives an error`() async throws {
        fill()
        let home = try await CardHome(server)
        home.link.onSnapshot { _ in (Array("{\"page\":\"1/9/cards/c1\"}\n".utf8), true) }
        await #expect(throws: DomainError.self) { try await home.sync() }
        #expect(home.link.pages.count == 2)
        let turns = Told()
        let never = CardLink { _ in
            turns.add(1)
            return Array("{\"page\":\"\(turns.numbers.count)\"}\n".utf8)
        }
        let engine = SyncEngine(database: home.database, client: never, log: Home.quiet)
        await #expect(throws: DomainError.self) { try await engine.sync() }
        #expect((2...101).contains(turns.numbers.count))
    }

    @Test func `a snapshot reports its progress`() async throws {
        fill()
        let home = try await CardHome(server)
        let told = Told()
        let engine = SyncEngine(
            database: home.database, client: home.link, settings: .init(snapshotRows: 10), log: Home.quiet,
            onProgress: { if case .receiving(let rows) = $0 { told.add(rows) } })
        _ = try await engine.sync()
        #expect(told.numbers.last == Self.cards.count + 10)
        #expect(told.numbers == told.numbers.sorted() && told.numbers.count > 2)
    }
}

private final class Told: Sendable {
    private let list = Mutex<[Int]>([])
    var numbers: [Int] { list.withLock { $0 } }
    func add(_ number: Int) { list.withLock { $0.append(number) } }
}

/// A server with snapshots only.
private struct CardLink: APIClient {
    let answer: @Sendable (FetchSnapshot) -> [UInt8]

    func response<E: Endpoint>(
        to endpoint: E, options: CallOptions
    ) async throws(NetworkError) -> APIResponse<E.Response> { throw NetworkError(.notFound(nil)) }

    func stream<E: Endpoint, Result: Sendable>(
        _ endpoint: E, options: CallOptions,
        receive:
            @escaping @Sendable (ResponseHead, any AsyncSequence<Data, any Error> & Sendable) async throws -> Result
    ) async throws(NetworkError) -> Result {
        guard let call = endpoint as? FetchSnapshot else { throw NetworkError(.notFound(nil)) }
        let (pieces, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        continuation.yield(Data(answer(call)))
        continuation.finish()
        do { return try await receive(ResponseHead(status: 200), pieces) } catch {
            throw NetworkError(.unexpected("\(error)"))
        }
    }
}

extension SyncEngine {
    fileprivate func pull() async throws(DomainError) -> SyncReport {
        var report = SyncReport()
        try await pull(&report)
        return report
    }
}
