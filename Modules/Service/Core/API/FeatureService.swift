/// The backend half of a feature: its tables, its routes, and the rows it synchronises.
public protocol FeatureService: Sendable {
    var migrations: [StoreMigration] { get }
    /// Default: none.
    var syncedCollections: [any SyncedCollection] { get }
    /// Adds the feature's endpoints.
    func mount(on routes: inout APIRoutes)
}

extension FeatureService {
    public var syncedCollections: [any SyncedCollection] { [] }
}
