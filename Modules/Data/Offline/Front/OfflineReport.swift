public import FoundationEssentials
import StrataDomain

/// What a synchronisation did, and how far the store is behind.
public struct OfflineReport: Sendable, Hashable {
    /// Writes that the server took.
    public var sent: Int
    /// Rows that the server changed or deleted.
    public var received: Int
    /// Edits that were merged with a newer row of the server.
    public var merged: Int
    /// Conflicts that this run opened.
    public var conflicts: Int
    /// Writes that the server refused in this run.
    public var refused: Int
    /// Writes that wait to be sent.
    public var unsent: Int
    /// Refused writes that wait for a user.
    public var refusedInAll: Int
    /// Conflicts that wait for a user.
    public var openConflicts: Int
    /// Rows that a list lacks and that a user must confirm as deleted: `OfflineEntities.heldDeletions`.
    public var heldDeletions: Int
    /// When all collections were last read to their end; `nil` before.
    public var asOf: Date?

    init(_ report: SyncReport, _ status: SyncStatus, held: Int) {
        (sent, received, merged) = (report.pushed, report.pulled, report.merged)
        (conflicts, refused) = (report.conflicts, report.rejected)
        (unsent, refusedInAll, openConflicts) = (status.pending, status.rejected, status.conflicts)
        (heldDeletions, asOf) = (held, status.lastSyncedAt)
    }
}
