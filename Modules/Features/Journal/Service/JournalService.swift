import FoundationEssentials
import JournalDomain
import StrataDomain
package import StrataService

/// The backend part of the journal. Machines append entries about themselves, and no entry lies far ahead of the server's clock.
package struct JournalService: FeatureService {
    private let table = EntityTable<JournalEntry>(
        hooks: EntityHooks(creators: .usersAndHosts, mayCreate: Self.mayCreate) { entry, given, now, check in
            if given.contains("occurred_at") {
                JournalEntry.check(occurredAt: entry.occurredAt, at: now, into: &check)
            }
        })

    package init() {}

    package var migrations: [StoreMigration] { table.migrations }
    package var syncedCollections: [any SyncedCollection] { [table] }
    package var administered: [any AdministeredTable] { [table] }
    package func mount(on routes: inout APIRoutes) { table.mount(on: &routes, replaces: false) }

    /// - Throws: 403 for a host and an entry about another host, and for a key that is not called like a host.
    private static func mayCreate(_ entry: JournalEntry, _ caller: Principal) throws {
        guard case .host(_, let name) = caller else { return }
        try caller.requireHost(entry.host)
        var check = FieldCheck()
        JournalEntry.check(host: name, into: &check)
        guard check.errors.isEmpty else {
            throw ServiceError.forbidden(
                "This key is called '\(name)', which is no name of a host, so it can write nothing; ask an administrator for "
                    + "one that is called like its host.")
        }
    }
}
