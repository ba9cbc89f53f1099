import JournalAPI
import JournalDomain
import StrataDomain
package import StrataService

/// The backend part of the journal: its table, its endpoints and its synchronised collection.
package struct JournalService: FeatureService {
    package init() {}

    package var migrations: [StoreMigration] { [JournalTable.migration] }
    package var syncedCollections: [any SyncedCollection] { [JournalSync()] }

    package func mount(on routes: inout APIRoutes) {
        routes.read(ListJournalEntries.self, for: .users) { call, _, store in try JournalTable.page(call, in: store) }
        routes.read(GetJournalEntry.self, for: .users) { call, _, store in
            JournalEntryPayload(try JournalTable.require(call.id, in: store))
        }
        // Host tokens may only append entries about their host.
        routes.write(CreateJournalEntry.self, for: .usersAndHosts) { call, scope, store in
            JournalEntryPayload(
                try JournalTable.create(call.draft, by: scope.caller(), at: scope.now, in: store))
        }
        routes.write(PatchJournalEntry.self, for: .users) { call, scope, store in
            let entry = try JournalTable.require(call.id, in: store)
            try Self.check(call.ifMatch, against: entry)
            return JournalEntryPayload(try JournalTable.patch(entry, with: call.edit, at: scope.now, in: store))
        }
        routes.write(DeleteJournalEntry.self, for: .users) { call, scope, store in
            let entry = try JournalTable.require(call.id, in: store)
            try Self.check(call.ifMatch, against: entry)
            _ = try JournalTable.delete(entry, at: scope.now, in: store)
            return NoContent()
        }
    }

    /// - Throws: 412 when `condition` names another version.
    private static func check(_ condition: IfMatch?, against entry: JournalEntry) throws {
        let current = EntityTag(version: entry.version)
        if let condition, !condition.allows(current) {
            throw ServiceError.preconditionFailed("journal entry", entry.id.rawValue, current: current)
        }
    }
}
