import JournalData
import JournalDomain
import Logging
import StrataDomain
import StrataOffline
import StrataTerminal

/// The journal database of a profile with everything that works on it.
struct OfflineWiring: Sendable {
    let database: OfflineDatabase
    let store: OfflineStore
    let journal: OfflineJournalRepository
    let engine: SyncEngine
    let tools: SyncTools
    /// Gives what was just written a short moment to reach the server.
    let settle: @Sendable () async -> Void

    /// How long a command that wrote something waits for the sync engine.
    private static let moment = Duration.milliseconds(1500)

    init(_ wiring: Wiring, logger: Logger) async throws(DomainError) {
        let settings = wiring.settings
        database = try await OfflineDatabase.open(
            at: "\(settings.paths.state)/journal/\(settings.profile).sqlite",
            collections: OfflineCollections.all, log: logger)
        // Before anything is written or sent: nobody's lines may go out under another name.
        if let user = wiring.account?.userId, try await database.account() != user {
            try await database.claim(for: user)
        }
        store = OfflineStore(database: database)
        journal = OfflineJournalRepository(store)
        engine = SyncEngine(database: database, client: wiring.network.session, log: logger)
        tools = SyncTools(
            sync: engine, outbox: store, conflicts: store, localChanges: { [store] in store.changes() },
            connectivity: wiring.network.connectivity)
        let isConnected = wiring.account != nil && !settings.isOffline
        // Tries once: whoever writes while the server is away must not wait for a retry.
        let attempt = SyncEngine(database: database, client: wiring.network.impatient, log: logger)
        settle = {
            guard isConnected else { return }
            await withTaskGroup { group in
                // Whatever goes wrong here is seen by the next sync; the write itself is safe.
                group.addTask { _ = try? await attempt.sync() }
                group.addTask { try? await Task.sleep(for: Self.moment) }
                await group.next()
                group.cancelAll()
            }
        }
    }
}
