/// How an engine whose writers run side by side orders their transactions, as expressions of its SQL.
///
/// Transactions have ids in the order in which they begin to write. They commit in another order. A reader that stays below
/// `oldest` sees transactions that have all ended, so nothing appears there any more.
public struct ConcurrentWriters: Sendable {
    /// The id of the transaction that runs it, 1 or more: larger than that of each one whose effects it reads.
    public let transaction: Statement
    /// The smallest id of a transaction that may still commit. The snapshot has each committed one below it.
    public let oldest: Statement

    /// Statements that tell a transaction's id, and the oldest one that is open.
    public init(transaction: Statement, oldest: Statement) { (self.transaction, self.oldest) = (transaction, oldest) }
}

/// The changes of one transaction; an engine makes a new one for each run of a body.
public final class ChangeCounter {
    /// The number of the transaction in the order of changes; `nil` before its first change.
    var transaction: Int?
    var count = 0
    /// Jobs that the transaction has enqueued.
    var jobs = 0
    /// Rows, by collection, that a read before the transaction did not find, and that it has not inserted yet.
    var absent: [String: Set<String>] = [:]

    /// A counter at its start.
    public init() {}
}
