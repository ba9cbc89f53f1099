import FoundationEssentials
import SpecimensAPI
package import SpecimensDomain
package import StrataDomain

/// Specimens from the server, each time anew.
package struct RemoteSpecimenRepository: SpecimenRepository {
    private let client: any APIClient
    private let clock: any WallClock

    package init(client: any APIClient, clock: any WallClock = SystemWallClock()) {
        self.client = client
        self.clock = clock
    }

    package func specimens(_ policy: ReadPolicy) async throws(DomainError) -> Snapshot<[Stored<Specimen>]> {
        let specimens = try await CursorPage.all { cursor throws(DomainError) in
            try await send(ListSpecimens(cursor: cursor, limit: 100), about: nil)
        }
        return Snapshot(specimens, .server)
    }

    package func specimen(
        _ id: Specimen.ID, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<Stored<Specimen>> {
        Snapshot(try await send(GetSpecimen(id: id), about: id), .server)
    }

    package func add(_ specimen: Specimen) async throws(DomainError) -> Stored<Specimen> {
        try await send(CreateSpecimen(specimen: specimen), about: nil, isWrite: true)
    }

    package func update(
        _ id: Specimen.ID, to specimen: Specimen, basedOn version: Int
    ) async throws(DomainError) -> Stored<Specimen> {
        let call = UpdateSpecimen(id: id, ifMatch: EntityTag(version: version), specimen: specimen)
        return try await send(call, about: id, isWrite: true)
    }

    package func remove(_ id: Specimen.ID, basedOn version: Int) async throws(DomainError) {
        let call = DeleteSpecimen(id: id, ifMatch: EntityTag(version: version))
        _ = try await send(call, about: id, isWrite: true)
    }

    /// One element: what happens on the server is not told.
    package func changes() -> AsyncStream<Void> {
        AsyncStream { continuation in
            continuation.yield()
            continuation.finish()
        }
    }

    /// A write has a key, so that it takes effect once however often it is sent.
    private func send<Call: Endpoint>(
        _ call: Call, about id: Specimen.ID?, isWrite: Bool = false
    ) async throws(DomainError) -> Call.Response {
        let options = CallOptions(idempotencyKey: isWrite ? UUIDv7.string(at: clock.now) : nil)
        do throws(NetworkError) { return try await client.send(call, options: options) } catch {
            throw DomainError(error, about: id, command: "shiftlog specimens", isWrite: isWrite)
        }
    }
}
