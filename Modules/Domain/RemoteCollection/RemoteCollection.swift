/// A collection of another party's API, as the offline engine needs it: read it, write one row, find a row.
///
/// `CRUDRemote` is the implementation for an ordinary REST resource. Implement this for any other API.
///
/// The engine calls one function at a time for all collections of a store, and no `pull` while a write is under way. It stores every answer in
/// one transaction before the next call. Rows and writes have the ids of the server: the engine translates from and to local ids.
public protocol RemoteCollection: Sendable {
    /// What the API can do. The engine takes the safe way that the abilities leave.
    var abilities: RemoteAbilities { get }

    /// Fields that hold the id of a row, and the name of that row's collection: `["list_id": "lists"]`. Default: none.
    ///
    /// Those that the entity states with `EntityField.references` count without being named here. A write with the id of a row that the
    /// server has not seen yet waits for that row.
    var references: [String: String] { get }

    /// One page of the collection.
    ///
    /// - Throws: `NetworkError`. With status 410 the engine forgets its cursor and reads everything.
    func pull(_ point: PullPoint, with client: any APIClient) async throws(NetworkError) -> PullPage

    /// Sends one write.
    ///
    /// - Throws: `NetworkError`; `verdict` says what it means.
    func push(_ write: RemoteWrite, with client: any APIClient) async throws(NetworkError) -> PushOutcome

    /// The rows that a search means, as the server has them now: the row with an id, or those that a write may have made.
    ///
    /// - Returns: Empty when there is none. A row that cannot be seen for another reason must throw.
    func find(_ search: RemoteSearch, with client: any APIClient) async throws(NetworkError) -> [RemoteRow]

    /// What a failed `push` means. Default: `PushVerdict.standard`, by the status.
    func verdict(on error: NetworkError, for write: RemoteWrite) -> PushVerdict
}

extension RemoteCollection {
    public var references: [String: String] { [:] }

    public func verdict(on error: NetworkError, for write: RemoteWrite) -> PushVerdict { .standard(error, write) }
}

/// What `RemoteCollection.find` looks for.
public enum RemoteSearch: Sendable, Hashable {
    /// The row with this id.
    case row(RemoteID)
    /// The rows that this create may have made: with its key, or with its fields. The engine takes one that no local row has.
    case made(RemoteWrite)
}
