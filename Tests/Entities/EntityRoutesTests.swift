import SpecimensService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataTesting
import Testing

@testable import SpecimensDomain

@Suite struct `Specimens, client to backend and back` {
    @Test func `a machine is forbidden, and nobody is asked to log in`() async throws {
        try await withBackend(SpecimensService()) { backend in
            for (client, status) in [(try backend.machine(), 403), (try backend.anonymous(), 401)] {
                let id = Specimen.ID("s-1")
                let tag = EntityTag(version: 1)
                #expect(await problem { try await client.send(ListEntities<Specimen>()) }?.status == status)
                #expect(await problem { try await client.send(GetEntity<Specimen>(id: id)) }?.status == status)
                #expect(await problem { try await client.send(CreateEntity<Specimen>(.sample)) }?.status == status)
                let edit = UpdateEntity<Specimen>(id: id, ifMatch: tag, to: .sample)
                #expect(await problem { try await client.send(edit) }?.status == status)
                #expect(
                    await problem { try await client.send(DeleteEntity<Specimen>(id: id, ifMatch: tag)) }?.status
                        == status)
            }
        }
    }
}
