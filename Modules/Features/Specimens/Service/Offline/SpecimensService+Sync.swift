import SpecimensDomain
package import StrataService

extension SpecimensService {
    /// Specimens as clients keep and edit them offline.
    package var syncedCollections: [any SyncedCollection] { [Specimen.table] }
}
