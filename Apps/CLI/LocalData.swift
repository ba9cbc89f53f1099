import Logging
import StrataDomain
import StrataNetworking
import StrataOffline
import StrataTerminal
import StrataTokens

/// The offline store of a profile, its engines, and the tools of the synchronisation commands.
struct LocalData: Sendable {
    let database: OfflineDatabase
    let store: OfflineStore
    let engine: SyncEngine
    /// Like `engine`, but tries once.
    let attempt: SyncEngine
    let tools: SyncTools
    /// Sends what the command has just written, within a short time limit; notes why something is still queued.
    let settle: @Sendable () async -> Void

    /// The file of the offline store.
    static func path(_ settings: Settings) -> String {
        "\(settings.paths.state)/journal/\(settings.profile).sqlite"
    }

    init(_ wiring: Wiring, logger: Logger) async throws(DomainError) {
        let settings = wiring.settings
        let console = wiring.console
        database = try await OfflineDatabase.open(
            at: Self.path(settings),
            collections: Synchronised.all.map(\.collection), log: logger)
        if let obstacle = database.obstacle {
            console.noteLater("Nothing can be written here now. \(obstacle)")
        } else if database.replacesLost {
            console.noteLater(
                "The file '\(database.path)' was gone, and a new one was begun: 'shiftlog sync' brings what the server has. "
                    + "Entries that were not sent are in the old file only.")
        }
        // Before anything is written or sent: rows of one account are never sent by another.
        if let account = wiring.account {
            let owner = OfflineAccount(id: account.userId, name: account.username)
            if let previous = try await database.claim(for: owner) {
                console.noteLater(
                    "This profile kept the entries of '\(previous.name)'. The server has all of them, so they were removed here; "
                        + "the profile now belongs to '\(owner.name)'.")
            }
        }
        let hidden = try await database.syncStatus().hidden
        if hidden > 0 {
            console.noteLater(
                "\(hidden) of the entries cannot be shown by this version of the program, which does not know their values; they are "
                    + "kept. Update the program, then run 'shiftlog sync'.")
        }
        store = OfflineStore(database: database)
        let network = wiring.network
        let client = wiring.client(of: database, network.session)
        // Without retries: a write must not wait while the server is unreachable, and a watch has its own back-off.
        let impatient = wiring.client(of: database, network.impatient)
        let bar = SyncBar(console)
        engine = SyncEngine(database: database, client: client, log: logger, onProgress: bar.update)
        // A run of another process may take long; it or the next run sends the write.
        attempt = SyncEngine(
            database: database, client: impatient, settings: .init(lockWait: .milliseconds(50)), log: logger)
        let watch = SyncWatch(
            engine: { [database] in SyncEngine(database: database, client: impatient, log: logger, onProgress: $0) },
            connectivity: { network.connectivity }, localWrites: { [store] in store.changes() },
            profile: wiring.profile, account: wiring.account)
        let caches = wiring.caches
        tools = SyncTools(sync: SyncWithBar(engine, bar), outbox: store, conflicts: store) { tell in
            let expired = Task { try await ExpiredResponses.remove(from: [caches.values, caches.responses]) }
            defer { expired.cancel() }
            try await watch.run(tell)
        }
        let before = try await database.lastQueued()
        settle = { [database, attempt] in
            var reason = await wiring.whyNotSent(database)
            if reason == nil { reason = await attempt.attempt(after: before) }
            if let reason { console.noteLater(reason.sentence) }
        }
    }
}

extension Wiring {
    /// Sends with tokens of the account that `database` belongs to, and with no others.
    fileprivate func client(of database: OfflineDatabase, _ base: any APIClient) -> AccountClient {
        AccountClient(base: base, account: account, database: database) {
            [profile] () async throws(TokenStoreError) in try await profile.session()?.account
        }
    }
}

extension Wiring {
    /// Why the account cannot send what was just written; `nil` with a login at this server.
    fileprivate func whyNotSent(_ database: OfflineDatabase) async -> UnsentReason? {
        if settings.isOffline { return .offline }
        guard account == nil else { return nil }
        do throws(TokenStoreError) { _ = try await tokens.read() } catch { return .failed(.storage("\(error)")) }
        let server = (try? await profile.session())?.account?.server
        if let server, server != "\(settings.server.origin)" { return .loggedInAt(server) }
        return .notLoggedIn(owner: try? await database.owner()?.name)
    }
}
