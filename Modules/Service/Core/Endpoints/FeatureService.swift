public import FoundationEssentials

/// The backend half of a feature: its tables, its routes, and the rows it synchronises.
public protocol FeatureService: Sendable {
    var migrations: [StoreMigration] { get }
    /// Default: none.
    var syncedCollections: [any SyncedCollection] { get }
    /// Adds the feature's endpoints.
    func mount(on routes: inout APIRoutes)
    /// Makes what the feature works with beside the database, before the first request. Default: nothing.
    func prepare() async throws
    /// Forgets what nobody can ask for any more; called at the start and then every hour. Default: nothing.
    func maintain(_ store: any Store, at now: Date) async throws
    /// Gives back what deleted rows left behind, such as files; called at the start and then every 15 seconds, so it
    /// costs next to nothing when there is none. Default: nothing.
    func reclaim(_ store: any Store) async throws
}

extension FeatureService {
    public var syncedCollections: [any SyncedCollection] { [] }
    public func prepare() async throws {}
    public func maintain(_ store: any Store, at now: Date) async throws {}
    public func reclaim(_ store: any Store) async throws {}
}
