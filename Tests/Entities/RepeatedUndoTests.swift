import SpecimensService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataTesting
import Testing

@testable import SpecimensDomain

@Suite struct `Taking back a write at the server twice, because the first response was lost` {
    /// Takes back `write`: every response of the first try is lost after its effect.
    private func takeBack(
        _ write: OnlineWrite, _ backend: InProcessBackend, _ plain: RemoteEntityRepository<Specimen>
    ) async throws -> UndoneWrite {
        let lossy = RemoteEntityRepository<Specimen>(
            client: try backend.client(wrap: { FaultyTransport($0, losingAnswers: 3) }), command: "specimens")
        let specimens = Specimens(lossy)
        let error = await #expect(throws: DomainError.self) { try await specimens.takeBack(write, at: plain) }
        #expect(error?.kind != .conflict)
        return try await specimens.takeBack(write, at: plain)
    }

    @Test func `makes the inverse once`() async throws {
        try await withBackend(SpecimensService()) { backend in
            let plain = RemoteEntityRepository<Specimen>(client: try backend.client(), command: "specimens")
            let kept = try await plain.create(.sample)

            let added = try await plain.create(.other)
            #expect(try await takeBack(OnlineWrite(.create, added), backend, plain).outcome == .inverseSent)

            let edited = try await plain.update(kept.id, to: .other, basedOn: kept.version)
            let edit = OnlineWrite(.patch, edited, before: .sample)
            #expect(try await takeBack(edit, backend, plain).outcome == .inverseSent)

            let last = try await plain.get(kept.id, .mustAsk).value
            try await plain.delete(last.id, basedOn: last.version)
            _ = try await takeBack(OnlineWrite(.delete, last, before: .sample), backend, plain)
            #expect(try await plain.list(EntityQuery(), .mustAsk).value.map(\.content) == [.sample])
        }
    }
}
