import RunbooksData
import RunbooksDomain
import RunbooksPresentation

extension CommandSet {
    /// Read through the cache, so that they are there without a network.
    static let runbooks = CommandSet(RunbooksGroup.self) { wiring in
        Runbooks(
            CachedRunbookRepository(
                client: wiring.network.session, reader: wiring.caches.reader, principal: wiring.caches.principal))
    }
}
