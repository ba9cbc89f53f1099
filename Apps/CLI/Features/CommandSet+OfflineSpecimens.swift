import SpecimensData
import SpecimensDomain
import SpecimensPresentation
import StrataDomain
import StrataOffline

extension CommandSet {
    /// Specimens of this profile: written to the local store first, and sent when the server is reachable.
    static let offlineSpecimens = CommandSet(SpecimensGroup.self) { wiring in
        let offline = try await wiring.offline()
        return Specimens(
            OfflineSpecimenRepository(
                offline.store, sync: { () throws(DomainError) in _ = try await offline.engine.sync() },
                settle: offline.settle))
    }
}

extension Synchronised {
    static let specimens = Synchronised(
        collection: OfflineSpecimenRepository.collection,
        path: "specimens")
}
