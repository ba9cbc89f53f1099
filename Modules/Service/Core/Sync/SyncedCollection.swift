public import FoundationEssentials
public import StrataDomain

/// A feature's rows that clients keep and edit offline.
///
/// The change log owns the order: an implementation takes the version of every write, by REST or by mutation, from
/// `ChangeLog.record` inside the writing transaction, and stores it with the row.
public protocol SyncedCollection: Sendable {
    /// Name on the wire, `journal_entries`.
    var name: String { get }

    /// The live rows among `ids`, as `SyncChange.data` shows them.
    func rows(_ ids: [String], in store: any StoreReader) throws -> [String: [String: JSONValue]]

    /// Puts `mutation` into effect.
    ///
    /// - Returns: The version the row has now.
    /// - Throws: `ServiceError` for input that will never be accepted; `SyncConflictError` when the row is not at
    ///   `baseVersion` any more. Either rolls the effect back; the result is stored all the same.
    func apply(
        _ mutation: Mutation, by principal: Principal, at now: Date, in transaction: any StoreTransaction
    ) throws -> Int
}

/// The row changed since the version a mutation was based on.
public struct SyncConflictError: Error, Sendable {
    public init() {}
}
