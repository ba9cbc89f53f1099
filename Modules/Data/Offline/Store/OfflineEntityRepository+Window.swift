package import StrataDomain

extension OfflineEntityRepository: WindowedRepository {
    /// From one state of the store; rows before the window are passed over in the index of the order.
    package func window(
        _ query: EntityQuery<Content>, _ positions: Range<Int>
    ) async throws(DomainError) -> Snapshot<[Stored<Content>]> {
        Snapshot(try await store.entities(query.validated(), at: positions), .local)
    }

    package func count(_ query: EntityQuery<Content>) async throws(DomainError) -> Int {
        try await store.count(query.validated())
    }
}
