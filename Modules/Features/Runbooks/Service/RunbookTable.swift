import FoundationEssentials
import RunbooksDomain
import StrataDomain
import StrataService

/// The table of runbooks.
enum RunbookTable {
    static let migration = StoreMigration(
        "runbooks-1",
        // `searchable` is title and body, lowercased by Swift because engines differ beyond ASCII. `tags` has a space before and
        // after each tag.
        """
        CREATE TABLE runbook (
            id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, tags TEXT NOT NULL,
            searchable TEXT NOT NULL, version BIGINT NOT NULL, updated_at BIGINT NOT NULL)
        """,
        "CREATE INDEX runbook_by_title ON runbook (title, id)"
    )

    static let columns: Statement = "id, title, body, tags, version, updated_at"

    /// - Throws: 404.
    static func runbook(_ id: Runbook.ID, in store: any StoreReader) throws -> Runbook {
        guard let row = try store.row("SELECT \(columns) FROM runbook WHERE id = \(id.rawValue)") else {
            throw ServiceError.notFound("runbook", id.rawValue)
        }
        return try Runbook(row)
    }

    /// The current version, if it matches `condition`.
    ///
    /// - Throws: 404; 428 without `condition`; 412 when the runbook has another version.
    static func version(of id: Runbook.ID, matching condition: IfMatch?, in store: any StoreReader) throws -> Int {
        let version = try runbook(id, in: store).version
        guard let condition else { throw ServiceError.preconditionRequired() }
        guard condition.allows(EntityTag(version: version)) else {
            throw ServiceError.preconditionFailed("runbook", id.rawValue, current: EntityTag(version: version))
        }
        return version
    }

    static func insert(_ draft: RunbookDraft, at now: Date, in store: any StoreTransaction) throws -> Runbook {
        let id = UUIDv7.string(at: now)
        try store.execute(
            """
            INSERT INTO runbook (id, title, body, tags, searchable, version, updated_at)
            VALUES (\(id), \(draft.title), \(draft.body), \(spaced(draft.tags)), \(searchable(draft)), 1, \(now))
            """)
        return try runbook(Runbook.ID(id), in: store)
    }

    /// - Throws: 412 when the runbook has another version.
    static func update(
        _ id: Runbook.ID, to draft: RunbookDraft, basedOn version: Int, at now: Date, in store: any StoreTransaction
    ) throws -> Runbook {
        let changed = try store.execute(
            """
            UPDATE runbook SET title = \(draft.title), body = \(draft.body), tags = \(spaced(draft.tags)),
                searchable = \(searchable(draft)), version = version + 1, updated_at = \(now)
            WHERE id = \(id.rawValue) AND version = \(version)
            """)
        let current = try runbook(id, in: store)
        try check(changed, id, current.version)
        return current
    }

    /// - Throws: 412 when the runbook has another version.
    static func delete(_ id: Runbook.ID, basedOn version: Int, in store: any StoreTransaction) throws {
        let changed = try store.execute("DELETE FROM runbook WHERE id = \(id.rawValue) AND version = \(version)")
        if changed == 0 { try check(changed, id, runbook(id, in: store).version) }
    }

    private static func check(_ changed: Int, _ id: Runbook.ID, _ current: Int) throws {
        guard changed == 1 else {
            throw ServiceError.preconditionFailed("runbook", id.rawValue, current: EntityTag(version: current))
        }
    }

    private static func spaced(_ tags: [String]) -> String { " " + tags.map { $0 + " " }.joined() }
    private static func searchable(_ draft: RunbookDraft) -> String { "\(draft.title)\n\(draft.body)".lowercased() }
}

extension Runbook {
    init(_ row: StoreRow) throws {
        self.init(
            id: ID(try row.text("id")), title: try row.text("title"), body: try row.text("body"),
            tags: try row.text("tags").split(separator: " ").map(String.init), version: try row.int("version"),
            updatedAt: try row.date("updated_at"))
    }
}
