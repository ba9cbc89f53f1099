public import StrataDomain

/// The tools of the synchronisation commands.
public struct SyncTools: Sendable {
    /// What synchronises.
    public let sync: any SyncService
    /// The writes that were not sent yet.
    public let outbox: any Outbox
    /// The conflicts that the user has to settle.
    public let conflicts: any ConflictInbox
    /// Runs `sync --watch`.
    public let watch: SyncWatching
    /// Of the last write; `nil` where none is noted. Default: `nil`.
    public var undo: (any WriteUndo)?

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
