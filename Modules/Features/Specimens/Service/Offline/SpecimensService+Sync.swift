import SpecimensDomain
package import StrataService

extension SpecimensService {
    /// Clients keep specimens in their offline stores.
    package var syncedCollections: [any SyncedCollection] { [table] }
}
