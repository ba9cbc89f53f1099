import JournalAPI
import JournalDomain
import StrataDomain
package import StrataService

/// The backend part of the journal: its table, its endpoints and its synchronised collection.
package struct JournalService: FeatureService {
    private let table = JournalTable()

    package init() {}

    package var migrations: [StoreMigration] { table.migrations }
    package var syncedCollections: [any SyncedCollection] { [JournalSync(table: table)] }

    package func mount(on routes: inout APIRoutes) {
        routes.read(ListJournalEntries.self, for: .users) { call, _, store in try table.page(call, in: store) }
        routes.read(GetEntity<JournalEntry>.self, for: .users) { call, scope, store in
            try table.entries.json(call.id, for: scope.caller(), in: store)
        }
        // Host tokens may only append entries about their host.
        routes.write(CreateJournalEntry.self, for: .usersAndHosts) { call, scope in
            let sent = try Self.body { try SentEntry(call.fields, time: scope.now, in: table.entries) }
            return try table.newEntry(sent, by: scope.caller(), at: scope.now)
        } _: { new, scope, store in
            try table.create(new, at: scope.now, in: store)
        }
        routes.write(PatchJournalEntry.self, for: .users) { call, scope, store in
            let entry = try table.entries.entity(call.id, for: scope.caller(), in: store)
            try Self.check(call.ifMatch, against: entry)
            let caller = try scope.caller()
            return try Self.body {
                try table.patch(entry, with: call.changes, by: caller, at: scope.now, in: store)
            }
        }
        routes.write(DeleteEntity<JournalEntry>.self, for: .users) { call, scope, store in
            let entry = try table.entries.entity(call.id, for: scope.caller(), in: store)
            try Self.check(call.ifMatch, against: entry)
            _ = try table.entries.remove(entry, at: scope.now, in: store)
            return NoContent()
        }
    }

    /// - Throws: 412 when `condition` names another version.
    private static func check(_ condition: IfMatch?, against entry: Stored<JournalEntry>) throws {
        if let condition, !condition.allows(entry.entityTag) {
            throw ServiceError.preconditionFailed("journal entry", entry.id.rawValue, current: entry.entityTag)
        }
    }

    /// - Throws: 422 for a field that is missing or of another type.
    private static func body<Value>(_ read: () throws -> Value) throws -> Value {
        do { return try read() } catch let failure as WireJSON.Failure {
            throw EndpointError(
                failure.kind == .missing ? .missing : .malformed, in: .body, key: failure.path,
                expected: failure.expected)
        }
    }
}
