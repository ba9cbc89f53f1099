import FoundationEssentials
import GRDB
import Logging
import RunbooksDomain
import RunbooksService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataOffline
import StrataTesting
import Testing

/// The engine of journal entries, unchanged, with runbooks, against the backend's own service and database.
@Suite struct `Runbooks, switched to offline` {
    /// A device of one user.
    private final class Device: Sendable {
        let store: OfflineStore
        private let engine: SyncEngine
        private let directory: TemporaryDirectory

        init(_ client: any APIClient) async throws {
            directory = try TemporaryDirectory()
            let log = Logger.silent
            let database = try await OfflineDatabase.open(
                at: directory.file("runbooks.sqlite"), collections: [RunbookRow.collection], log: log)
            store = OfflineStore(database: database)
            engine = SyncEngine(database: database, client: client, log: log)
        }

        @discardableResult
        func sync() async throws -> SyncReport { try await engine.sync() }
        func rows() async throws -> [RunbookRow] {
            try await store.read { try RunbookRow.order(Column("id")).fetchAll($0) }
        }
        func create(_ id: String, _ title: String) async throws {
            try await store.create(
                "runbooks", id,
                ["title": .string(title), "body": .string("1. Look."), "tags": .array([.string("disk")])])
        }
        func patch(_ id: String, _ fields: [String: JSONValue]) async throws {
            try await store.patch("runbooks", id, fields)
        }
    }

    @Test func `a runbook written on one device reaches the server and another device`() async throws {
        try await withBackend(SyncedRunbooks()) { backend in
            let client = try backend.client()
            let (one, two) = (try await Device(backend.client()), try await Device(backend.client()))
            try await one.create("rb-1", "Disk full")
            #expect(try await one.rows().map(\.title) == ["Disk full"], "shown before anything was sent")
            #expect(try await one.sync() == SyncReport(pushed: 1))
            #expect(try await client.send(GetEntity<Runbook>(id: Runbook.ID("rb-1"))).tags == ["disk"])
            #expect(try await client.send(ListRunbooks(q: "disk FULL")).items.count == 1)
            try await two.sync()
            #expect(try await two.rows() == one.rows())
            try await two.store.delete("runbooks", "rb-1")
            try await two.sync()
            try await one.sync()
            #expect(try await one.rows() == [])
            #expect(try await client.send(ListRunbooks()).items.isEmpty)
        }
    }

    @Test func `the conflict policy of the collection decides field by field`() async throws {
        try await withBackend(SyncedRunbooks()) { backend in
            let (one, two) = (try await Device(backend.client()), try await Device(backend.client()))
            try await one.create("rb-1", "Disk full")
            try await one.sync()
            try await two.sync()
            try await one.patch("rb-1", ["body": .string("theirs"), "tags": .array([.string("theirs")])])
            try await one.sync()
            // Tags: the last edit. The title: nobody else touched it.
            try await two.patch("rb-1", ["title": .string("Mine"), "tags": .array([.string("mine")])])
            try await two.sync()
            try await one.sync()
            #expect(try await one.rows().map { [$0.title, $0.body, $0.tags] } == [["Mine", "theirs", "mine"]])
            // The body: a person.
            try await one.patch("rb-1", ["body": .string("one")])
            try await one.sync()
            try await two.patch("rb-1", ["body": .string("two")])
            #expect(try await two.sync().conflicts == 1)
            let conflict = try #require(try await two.store.conflicts().first)
            #expect(conflict.fields == ["body"])
            try await two.store.resolve(conflict.id, keeping: .local)
            try await two.sync()
            // Deleted there, edited here: the edit wins.
            try await one.sync()
            try await one.store.delete("runbooks", "rb-1")
            try await one.sync()
            try await two.patch("rb-1", ["title": .string("Still needed")])
            try await two.sync()
            try await one.sync()
            #expect(try await one.rows().map { [$0.title, $0.body] } == [["Still needed", "two"]])
            #expect(try await one.rows() == two.rows())
        }
    }

    @Test func `a refused runbook delays no other, and is sent again once it is corrected`() async throws {
        try await withBackend(SyncedRunbooks()) { backend in
            let client = try backend.client()
            let device = try await Device(backend.client())
            try await device.create("rb-1", "")
            try await device.create("rb-2", "Fine")
            #expect(try await device.sync() == SyncReport(pushed: 1, rejected: 1))
            #expect(try await client.send(ListRunbooks()).items.map(\.title) == ["Fine"])
            #expect(try await device.rows().count == 2, "What was typed stays.")
            try await device.patch("rb-1", ["title": .string("Now with a title")])
            #expect(try await device.sync() == SyncReport(pushed: 1))
            #expect(try await client.send(ListRunbooks()).items.count == 2)
            #expect(try await device.store.entries().isEmpty)
        }
    }
}

extension SyncReport {
    fileprivate init(pushed: Int = 0, rejected: Int = 0) {
        self.init()
        self.pushed = pushed
        self.rejected = rejected
    }
}
