import FoundationEssentials
package import SpecimensDomain
package import StrataDomain
package import StrataOffline

/// Specimens on this machine: reads and writes answer at once, the sync engine does the rest.
package struct OfflineSpecimenRepository: SpecimenRepository {
    /// What the offline database is to keep.
    package static let collection = EntityRow<Specimen>.collection

    private let store: OfflineStore
    private let sync: @Sendable () async throws(DomainError) -> Void
    private let settle: @Sendable () async -> Void
    private let clock: any WallClock
    private let random: RandomSource

    /// - Parameters:
    ///   - sync: Asks the server, for a read that wants the newest.
    ///   - settle: Gives what was just written a short moment to reach the server.
    package init(
        _ store: OfflineStore, sync: @escaping @Sendable () async throws(DomainError) -> Void,
        settle: @escaping @Sendable () async -> Void = {}, clock: any WallClock = SystemWallClock(),
        random: RandomSource = RandomSource()
    ) {
        self.store = store
        self.sync = sync
        self.settle = settle
        self.clock = clock
        self.random = random
    }

    package func specimens(_ policy: ReadPolicy) async throws(DomainError) -> Snapshot<[Stored<Specimen>]> {
        try await asking(policy)
        return Snapshot(try await store.entities(), .local)
    }

    package func specimen(
        _ id: Specimen.ID, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<Stored<Specimen>> {
        try await asking(policy)
        return Snapshot(try await kept(id), .local)
    }

    package func add(_ specimen: Specimen) async throws(DomainError) -> Stored<Specimen> {
        let id = Specimen.ID(random.id(at: clock.now))
        try await store.create(specimen, id)
        await settle()
        return try await kept(id)
    }

    /// The version is not asked for: the store knows what the row is based on, and a merge decides later.
    package func update(
        _ id: Specimen.ID, to specimen: Specimen, basedOn version: Int
    ) async throws(DomainError) -> Stored<Specimen> {
        _ = try await kept(id)
        try await store.update(id, to: specimen)
        await settle()
        return try await kept(id)
    }

    package func remove(_ id: Specimen.ID, basedOn version: Int) async throws(DomainError) {
        _ = try await kept(id)
        try await store.remove(id)
        await settle()
    }

    package func changes() -> AsyncStream<Void> { store.changes(in: Specimen.collection) }

    private func asking(_ policy: ReadPolicy) async throws(DomainError) {
        switch policy {
        case .refresh, .mustAsk: try await sync()
        case .cacheFirst, .cacheOnly: break
        }
    }

    private func kept(_ id: Specimen.ID) async throws(DomainError) -> Stored<Specimen> {
        guard let specimen = try await store.entity(id) else {
            throw .notFound(
                "No specimen '\(id)' is stored here; 'shiftlog specimens list' shows those that are, 'shiftlog sync' "
                    + "fetches what is new.")
        }
        return specimen
    }
}
