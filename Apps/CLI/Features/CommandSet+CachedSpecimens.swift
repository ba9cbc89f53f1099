import SpecimensData
import SpecimensDomain
import SpecimensPresentation

extension CommandSet {
    /// Specimens of the server, read through the cache, so that they are available offline.
    static let cachedSpecimens = CommandSet(SpecimensGroup.self) { wiring in
        Specimens(
            CachedSpecimenRepository(
                remote: RemoteSpecimenRepository(client: wiring.network.session), reader: wiring.caches.reader,
                principal: wiring.caches.principal))
    }
}
