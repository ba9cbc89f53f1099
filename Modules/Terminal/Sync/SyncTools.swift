import FoundationEssentials
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

extension SyncTools {
    /// How far the rows here are behind the server; `nil` where the store cannot tell.
    func freshness(at now: Date) async -> String? { try? await sync.status().freshness(at: now) }

    /// The first unsent writes, for the completion of ids.
    public func outboxCandidates() async throws(DomainError) -> [IDCandidate] {
        try await outbox.entries(after: 0, limit: 500).map { entry in
            let write = "\(entry.mutation.operation.rawValue) \(entry.mutation.collection)"
            let texts = [entry.state.rawValue, write, entry.error].compactMap(\.self)
            return IDCandidate(id: entry.id, title: texts.joined(separator: ", "))
        }
    }

    /// The open conflicts, for the completion of ids.
    public func conflictCandidates() async throws(DomainError) -> [IDCandidate] {
        try await conflicts.conflicts().map { conflict in
            let fields = conflict.fields.joined(separator: ", ")
            return IDCandidate(id: conflict.id, title: "\(conflict.collection), \(fields): \(conflict.reason)")
        }
    }
}

/// A command about synchronisation: `sync`, `outbox`, `conflicts`.
public protocol SyncConsoleCommand: ConsoleCommand where Tools == SyncTools {}
