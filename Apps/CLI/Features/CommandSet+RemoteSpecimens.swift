import SpecimensData
import SpecimensDomain
import SpecimensPresentation

extension CommandSet {
    /// Specimens from the server, each time anew.
    static let remoteSpecimens = CommandSet(SpecimensGroup.self) { wiring in
        Specimens(RemoteSpecimenRepository(client: wiring.network.session))
    }
}
