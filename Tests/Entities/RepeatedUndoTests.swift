import SpecimensService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataTesting
import Testing

@testable import SpecimensDomain

@Suite struct `Taking back a write at the server twice, because the first response was lost` {
    /// Takes back the write that `make` does: every response of the first try is lost after its effect.
    private func takeBack(
        _ backend: InProcessBackend, _ make: (Specimens) async throws -> Void
    ) async throws -> UndoneWrite {
        let plain = RemoteEntityRepository<Specimen>(client: try backend.client(), command: "specimens")
        let noted = Shared<[OnlineWrite]>([])
        var specimens = Specimens(plain)
        specimens.noteWrite = { write in noted.change { $0.append(write) } }
        try await make(specimens)
        let write = try #require(noted.value.last)
        let lossy = Specimens(
            RemoteEntityRepository<Specimen>(
                client: try backend.client(wrap: { FaultyTransport($0, losingAnswers: 3) }), command: "specimens"))
        let error = await #expect(throws: DomainError.self) { try await lossy.takeBack(write, at: plain) }
        #expect(error?.kind != .conflict)
        return try await lossy.takeBack(write, at: plain)
    }

    @Test func `makes the inverse once`() async throws {
        try await withBackend(SpecimensService()) { backend in
            let plain = RemoteEntityRepository<Specimen>(client: try backend.client(), command: "specimens")
            let id = try await plain.create(.sample).id
            let added = try await takeBack(backend) { _ = try await $0.create(.other) }
            #expect(added.outcome == .inverseSent)
            let edited = try await takeBack(backend) { _ = try await $0.update(id) { $0 = .other } }
            #expect(edited.outcome == .inverseSent)
            _ = try await takeBack(backend) { try await $0.delete(id) }
            #expect(try await plain.list(EntityQuery(), .mustAsk).value.map(\.content) == [.sample])
        }
    }
}
