public import StrataDomain
import StrataOffline

/// A collection of the offline store.
public struct Synchronised: Sendable {
    let collection: OfflineCollection
    /// The first part of its path below `/v1`: a synchronisation invalidates its cached responses.
    let path: String

    /// The collection of an entity that works offline.
    public static func entity<Content: Entity>(_ entity: Content.Type) -> Synchronised {
        Synchronised(collection: OfflineEntityRepository<Content>.collection, path: entity.path)
    }

    /// A list whose rows are written without commas, so that there may be any number.
    public static func rows(@Rows _ list: () -> [Synchronised]) -> [Synchronised] { list() }

    /// Builds the list of `rows`.
    @resultBuilder public enum Rows {
        /// The rows as they are.
        public static func buildBlock(_ rows: Synchronised...) -> [Synchronised] { rows }
    }
}
