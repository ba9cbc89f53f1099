public import StrataDomain

/// What the commands about synchronisation work with.
public struct SyncTools: Sendable {
    public let sync: any SyncService
    public let outbox: any Outbox
    public let conflicts: any ConflictInbox
    /// One element whenever something was written here that waits to be sent.
    public let localChanges: @Sendable () -> AsyncStream<Void>
    /// When the server can be expected to be reached.
    public let connectivity: any ConnectivityMonitor
    /// Measures the pause of `sync --watch`.
    public let clock: any Clock<Duration>

    /// - Parameters:
    ///   - localChanges: Default: never an element; `sync --watch` then goes by the clock and the network alone.
    ///   - connectivity: Default: always online; nothing then wakes `sync --watch` when the network returns.
    public init(
        sync: any SyncService, outbox: any Outbox, conflicts: any ConflictInbox,
        localChanges: @escaping @Sendable () -> AsyncStream<Void> = { AsyncStream { _ in } },
        connectivity: any ConnectivityMonitor = FixedConnectivity(.online),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.sync = sync
        self.outbox = outbox
        self.conflicts = conflicts
        self.localChanges = localChanges
        self.connectivity = connectivity
        self.clock = clock
    }
}

/// A command about synchronisation: `sync`, `outbox`, `conflicts`.
public protocol SyncConsoleCommand: ConsoleCommand where Tools == SyncTools {}
