public import FoundationEssentials
public import StrataDomain

/// A feature's rows that clients keep and edit offline.
///
/// The change log owns the order: an implementation takes the version of every write, by REST or by mutation, from
/// `ChangeLog.record` inside the writing transaction, and stores it with the row.
public protocol SyncedCollection: Sendable {
    /// Name on the wire, `journal_entries`.
    var name: String { get }
    /// The form of the rows. Raise it when rows that did not change look different, for a new field: then every client
    /// fetches them again. Default 1.
    var schema: Int { get }
    /// The fields that mutations may hold, beside `id`, `version` and `updated_at`, which the server decides; one with another
    /// is refused with `unknown_field`, and nothing of it is lost.
    /// Default `nil`: any, and `apply` decides.
    var fields: Set<String>? { get }

    /// The live rows among `ids`, as `SyncChange.data` shows them.
    func rows(_ ids: [String], in store: any StoreReader) throws -> [String: [String: JSONValue]]

    /// The live rows of a piece of a snapshot, by id. Default: by way of the change log and `rows`; a collection whose table
    /// has versions of its own reads it directly, which is several times faster.
    func snapshot(_ piece: SnapshotPiece, in store: any StoreReader) throws -> SnapshotLines

    /// Puts `mutation` into effect.
    ///
    /// - Returns: The version the row has now.
    /// - Throws: `ServiceError` for input that will never be accepted; `SyncConflictError` when the row is not at
    ///   `baseVersion` any more. Either rolls the effect back; the result is stored all the same.
    func apply(
        _ mutation: Mutation, by principal: Principal, at now: Date, in transaction: any StoreTransaction
    ) throws -> Int
}

extension SyncedCollection {
    public var schema: Int { 1 }
    public var fields: Set<String>? { nil }
}

/// The row changed since the version a mutation was based on.
public struct SyncConflictError: Error, Sendable {
    public init() {}
}
