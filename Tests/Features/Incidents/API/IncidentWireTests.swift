import FoundationEssentials
import IncidentsAPI
import IncidentsDomain
import StrataDomain
import Testing

@Suite struct `Incidents on the wire` {
    private let document = """
        {
        "title": "Alpha",
        "alias": "Alpha",
        "details": "Seen at dawn.",
        "note": "Seen at dawn.",
        "severity": "low",
        "phase": "opened",
        "started_at": "2026-01-02T03:04:05.006Z",
        "ended_at": "2026-01-02T03:04:05.006Z",
        "count": 8,
        "size": 5,
        "load": 2.5,
        "ratio": 2.5,
        "is_public": true,
        "done": true,
        "device": "11111111-1111-4111-8111-111111111111",
        "peer": "11111111-1111-4111-8111-111111111111",
        "page": "https://example.org/one?a=1",
        "link": "https://example.org/one?a=1",
        "owner": "u-1",
        "runbook": "u-1",
        "slug": "Alphaxxx",
        "token": "Seen at dawn.",
        "id": "s-1", "updated_at": "2026-01-01T10:00:00.000Z", "version": 3
        }
        """

    @Test func `look as every earlier version knows them`() throws {
        let json = try WireJSON.decode(JSONValue.self, from: Data(document.utf8))
        #expect(try JSONValue(encoding: Stored<Incident>.example()) == json)
        #expect(try json.decode(Stored<Incident>.self) == .example())
    }

    @Test(arguments: Incident.fields.map(\.name))
    func `must be whole, but for what is optional`(name: String) throws {
        var fields = try Incident.sample.wireFields()
        fields[name] = nil
        let isOptional = try #require(Incident.fields.first { $0.name == name }).isOptional
        #expect((try? Incident(wireFields: fields)) != nil || !isOptional)
        #expect((try? Incident(wireFields: fields)) == nil || isOptional)
    }

    @Test func `are at the paths they always were`() throws {
        let id = Incident.ID("s-1")
        let tag = EntityTag(version: 3)
        #expect(try ListIncidents().request().path == "/v1/incidents")
        #expect(try CreateIncident(incident: .sample).request().path == "/v1/incidents")
        #expect(try GetIncident(id: id).request().path == "/v1/incidents/s-1")
        #expect(try UpdateIncident(id: id, ifMatch: tag, incident: .sample).request().headers["If-Match"] == "\"3\"")
        #expect(try DeleteIncident(id: id, ifMatch: tag).request().headers["If-Match"] == "\"3\"")
    }
}
