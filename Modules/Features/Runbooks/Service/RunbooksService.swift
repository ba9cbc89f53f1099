import RunbooksDomain
package import StrataService

/// The backend part of runbooks. They are read through the cache and not synchronised, so each row counts its own versions.
package struct RunbooksService: FeatureService {
    private let table = EntityTable<Runbook>(versions: .row)

    package init() {}

    package var migrations: [StoreMigration] { table.migrations }
    package var administered: [any AdministeredTable] { [table] }
    package func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
}
