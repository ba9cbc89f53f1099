import Logging
import StrataDomain
import StrataNetworking
import StrataOffline
import StrataTerminal
import StrataTokens

/// The offline store of a profile, and what synchronises it, made where it is used.
public struct LocalData: Sendable {
    let database: OfflineDatabase
    let store: OfflineStore
    private let wiring: Wiring
    private let logger: Logger
    /// `OfflineDatabase.lastQueued` before the command writes.
    private let before: Int

    /// The file of the offline store.
    static func path(_ settings: Settings) -> String {
        "\(settings.paths.state)/\(settings.program.localData)/\(settings.profile).sqlite"
    }

    /// Opens the file of any account. A program without offline collections has the file, too, after its first write: `undo` has its record
    /// there.
    static func open(_ wiring: Wiring, logger: Logger) async throws(DomainError) -> OfflineDatabase {
        let program = wiring.settings.program
        let database = try await OfflineDatabase.open(
            at: path(wiring.settings), collections: program.synchronised.map(\.collection), log: logger)
        if database.obstacle == nil, database.replacesLost, !program.synchronised.isEmpty {
            wiring.console.noteLater(
                "The file '\(database.path)' was gone, and a new one was begun: '\(program.name) sync' brings what the server has. "
                    + "Entries that were not sent are in the old file only.")
        }
        return database
    }

    init(_ wiring: Wiring, logger: Logger) async throws(DomainError) {
        let (console, program) = (wiring.console, wiring.settings.program)
        database = try await Self.open(wiring, logger: logger)
        if let obstacle = database.obstacle { console.noteLater("Nothing can be written here now. \(obstacle)") }
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
                    + "kept. Update the program, then run '\(program.name) sync'.")
        }
        store = OfflineStore(database: database)
        before = try await database.lastQueued()
        self.wiring = wiring
        self.logger = logger
    }

    var engine: SyncEngine { engine(SyncBar(wiring.console)) }

    private func engine(_ bar: SyncBar) -> SyncEngine {
        SyncEngine(database: database, client: wiring.network.session, log: logger, onProgress: bar.update)
    }

    /// Like `engine`, but tries once: a write must not wait while the server is unreachable. A run of another process may take
    /// long; it or the next run sends the write.
    var attempt: SyncEngine {
        SyncEngine(
            database: database, client: wiring.network.impatient, settings: .init(lockWait: .milliseconds(50)),
            log: logger)
    }

    /// Sends what the command has just written, within a short time limit; notes why something is still queued.
    @Sendable public func settle() async {
        if let reason = await unsent() { wiring.console.noteLater(reason.sentence) }
    }

    /// Sends as `settle` does.
    ///
    /// - Returns: Why something is still queued.
    @Sendable func unsent() async -> UnsentReason? {
        if let reason = await wiring.whyNotSent(database) { return reason }
        return await attempt.attempt(after: before)
    }

    /// Synchronises once and without retries; waits for a run that is under way. Compares nothing.
    @Sendable func refresh() async throws(DomainError) {
        _ = try await impatient(settings: .init(lockWait: .seconds(3600))).sync(.now, verifying: false)
    }

    /// Without retries: a watch has its own back-off, and a user who waits asks again.
    private func impatient(
        settings: SyncEngine.Settings = .init(), _ onProgress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) -> SyncEngine {
        SyncEngine(
            database: database, client: wiring.network.impatient, settings: settings, log: logger,
            onProgress: onProgress)
    }

    /// Of the synchronisation commands.
    var tools: SyncTools {
        let bar = SyncBar(wiring.console)
        var tools = SyncTools(sync: SyncWithBar(engine(bar), bar), outbox: store, conflicts: store, watch: watch)
        tools.undo = ProfileUndo(wiring: wiring, store: store, unsent: unsent)
        return tools
    }

    /// Synchronises until it is cancelled.
    @Sendable func watch(_ tell: @escaping @Sendable (SyncWatchEvent) -> Void) async throws {
        let (network, caches, program) = (wiring.network, wiring.caches, wiring.settings.program.name)
        let expired = Task { try await ExpiredResponses.remove(from: [caches.values, caches.responses]) }
        defer { expired.cancel() }
        let watch = SyncWatch(
            engine: { impatient($0) },
            connectivity: { network.connectivity }, localWrites: { store.changes() }, profile: wiring.profile,
            account: wiring.account, program: program)
        try await watch.run(tell)
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
