import SpecimensService
import StrataDomain
import StrataFeatureTesting
import Testing

@testable import SpecimensDomain

@Suite struct `Specimens with a value that no other has` {
    private static let fields = [
        "catalog_code"
    ]

    @Test(arguments: fields)
    func `a value that is taken is refused by its field`(field: String) async throws {
        var fields = try Specimen.other.wireFields()
        fields[field] = try Specimen.sample.wireFields()[field]
        let twin = try Specimen(wireFields: fields)
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            let first = try await client.send(CreateEntity<Specimen>(.sample))
            let refused = await problem { try await client.send(CreateEntity<Specimen>(twin)) }
            #expect(refused?.status == 409 && refused?.code == "not_unique")
            #expect(refused?.errors?.map(\.field) == [field])
            // Its own value is no other's.
            let edit = UpdateEntity<Specimen>(id: first.id, ifMatch: first.entityTag, to: twin)
            #expect(try await client.send(edit).content == twin)
        }
    }
}
