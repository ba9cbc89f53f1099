import IncidentsAPI
import IncidentsDomain
import IncidentsService
import StrataDomain
import Testing

@Suite struct `Incidents with a value that no other has` {
    private static let fields = [
        "slug"
    ]

    @Test(arguments: fields)
    func `a value that is taken is refused by its field`(field: String) async throws {
        var fields = try Incident.other.wireFields()
        fields[field] = try Incident.sample.wireFields()[field]
        let twin = try Incident(wireFields: fields)
        try await withBackend(IncidentsService()) { backend in
            let client = try backend.client()
            let first = try await client.send(CreateIncident(incident: .sample))
            let refused = await problem { try await client.send(CreateIncident(incident: twin)) }
            #expect(refused?.status == 409 && refused?.code == "not_unique")
            #expect(refused?.errors?.map(\.field) == [field])
            // Its own value is no other's.
            let edit = UpdateIncident(id: first.id, ifMatch: first.entityTag, incident: twin)
            #expect(try await client.send(edit).content == twin)
        }
    }
}
