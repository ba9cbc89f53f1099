public import StrataDomain

/// The tools of the synchronisation commands.
public struct SyncTools: Sendable {
    public let sync: any SyncService
    public let outbox: any Outbox
    public let conflicts: any ConflictInbox
    /// Runs `sync --watch`.
    public let watch: SyncWatching

    /// - Parameter watch: Default: ends at once.
    public init(
        sync: any SyncService, outbox: any Outbox, conflicts: any ConflictInbox,
        watch: @escaping SyncWatching = { _ in }
    ) {
        self.sync = sync
        self.outbox = outbox
        self.conflicts = conflicts
        self.watch = watch
    }
}

/// A command about synchronisation: `sync`, `outbox`, `conflicts`.
public protocol SyncConsoleCommand: ConsoleCommand where Tools == SyncTools {}
