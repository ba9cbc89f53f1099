public import FoundationEssentials

/// The backend part of a feature: its tables, its routes and the rows it synchronises.
public protocol FeatureService: Sendable {
    /// The migrations of its tables, in order.
    var migrations: [StoreMigration] { get }
    /// Default: none.
    var syncedCollections: [any SyncedCollection] { get }
    /// What its rows refer to outside of its tables. Default: nothing.
    var contents: FeatureContents? { get }
    /// The tables that the page of administration shows. Default: none.
    var administered: [any AdministeredTable] { get }
    /// The spaces that rows belong to, and their members. Default: none.
    var spaces: (any SpaceDirectory)? { get }
    /// Adds the feature's endpoints.
    func mount(on routes: inout APIRoutes)
    /// Prepares resources other than the database, such as directories, before the first request. Default: nothing.
    func prepare() async throws
    /// Deletes expired rows. Called at the start and then every hour. Default: nothing.
    func maintain(_ store: any Store, at now: Date) async throws
    /// Deletes resources that deleted rows left behind, such as files. Called at the start and then every 15 seconds, so it
    /// must be cheap when there are none. Default: nothing.
    func reclaim(_ store: any Store) async throws
}

extension FeatureService {
    public var syncedCollections: [any SyncedCollection] { [] }
    public var contents: FeatureContents? { nil }
    public var administered: [any AdministeredTable] { [] }
    public var spaces: (any SpaceDirectory)? { nil }
    public func prepare() async throws {}
    public func maintain(_ store: any Store, at now: Date) async throws {}
    public func reclaim(_ store: any Store) async throws {}
}
