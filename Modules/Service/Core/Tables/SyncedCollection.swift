public import FoundationEssentials
public import StrataDomain

/// Rows of a feature that clients store and edit offline.
///
/// An implementation takes the version of every write, by REST or by mutation, from `ChangeLog.stamp` in the writing
/// transaction, and stores it with the row.
public protocol SyncedCollection: Sendable {
    /// Name on the wire, `notes`.
    var name: String { get }
    /// Revision of the row format. Raise it when unchanged rows get another form, such as a new field: every client then
    /// fetches them again. Default 1.
    var schema: Int { get }
    /// The fields a mutation may have besides `id`, `version` and `updated_at`, which the server sets. A mutation with another
    /// field is rejected with `unknown_field`, and the client keeps it. Default `nil`: any, and `apply` decides.
    var fields: Set<String>? { get }
    /// Whether a row is sent to its author and to administrators only. Such a collection gives `ChangeLog.stamp` the author of
    /// each row, heeds `SnapshotRange.owners`, and its `apply` treats the row of another author as missing. Default: false.
    var isPrivate: Bool { get }
    /// The owners in the change log whose rows `caller` sees: authors, or spaces. Default: none for a role that may not read the
    /// collection, otherwise as `isPrivate` says.
    ///
    /// - Returns: `nil` when `caller` sees all rows.
    func owners(seenBy caller: Principal, in store: any StoreReader) throws -> [String]?

    /// The live rows among `ids`, in the form of `SyncChange.data`.
    func rows(_ ids: [String], in store: any StoreReader) throws -> [String: [String: JSONValue]]

    /// The live rows of a range of a snapshot. Default: reads the change log and `rows`. A table with its own versions is
    /// several times faster when it reads them directly.
    func snapshot(_ piece: SnapshotRange, in store: any StoreReader) throws -> SnapshotLines

    /// Applies `mutation`, which the role of `principal` in the whole service allows.
    ///
    /// - Returns: The new version of the row.
    /// - Throws: `ServiceError` for input that is rejected for good; `SyncConflictError` when the row has another version than
    ///   `baseVersion`. Both roll the effect back and store the result.
    func apply(
        _ mutation: Mutation, by principal: Principal, at now: Date, in transaction: any StoreTransaction
    ) throws -> Int
}

extension SyncedCollection {
    public var schema: Int { 1 }
    public var fields: Set<String>? { nil }
    public var isPrivate: Bool { false }

    public func owners(seenBy caller: Principal, in store: any StoreReader) throws -> [String]? {
        guard caller.may(.read, name) else { return [] }
        return isPrivate && !caller.isAdmin ? [caller.key] : nil
    }
}

/// The row has changed since the base version of a mutation.
public struct SyncConflictError: Error, Sendable {
    /// The row is at another version than the write expects.
    public init() {}
}
