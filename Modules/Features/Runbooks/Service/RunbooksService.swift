import RunbooksDomain
package import StrataService

/// The backend part of runbooks: the table and endpoints of the entity, and a list of its own with filters.
package struct RunbooksService: FeatureService {
    private let table = EntityTable<Runbook>("runbook", versions: .row, searchColumn: "searchable")

    package init() {}

    /// Older than the entity: the index serves the order of the list, and `searchable` is title and body, lowercased by Swift
    /// because engines differ beyond ASCII.
    package var migrations: [StoreMigration] {
        [
            StoreMigration(
                "runbooks-1",
                """
                CREATE TABLE runbook (
                    id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, tags TEXT NOT NULL,
                    searchable TEXT NOT NULL, version BIGINT NOT NULL, updated_at BIGINT NOT NULL)
                """,
                "CREATE INDEX runbook_by_title ON runbook (title, id)")
        ]
    }

    package func mount(on routes: inout APIRoutes) {
        routes.read(ListRunbooks.self, for: .users) { call, _, store in try table.page(call, in: store) }
        table.mountItems(on: &routes)
    }
}
