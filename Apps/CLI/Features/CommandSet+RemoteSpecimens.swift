import SpecimensData
import SpecimensDomain
import SpecimensPresentation

extension CommandSet {
    /// Specimens of the server, without a cache.
    static let remoteSpecimens = CommandSet(SpecimensGroup.self) { wiring in
        Specimens(RemoteSpecimenRepository(client: wiring.network.session))
    }
}
