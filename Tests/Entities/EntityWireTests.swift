import FoundationEssentials
import StrataDomain
import Testing

@testable import SpecimensDomain

@Suite struct `Specimens on the wire` {
    private let document = """
        {
        "pet_name": "1 pet name",
        "folk_name": "1 folk name",
        "field_notes": "1 field notes",
        "lab_notes": "1 lab notes",
        "leg_count": 8,
        "spot_count": 8,
        "weight_grams": 2.5,
        "length_meters": 2.5,
        "is_venomous": true,
        "is_nocturnal": true,
        "found_at": "2026-01-02T03:04:05.006Z",
        "examined_at": "2026-01-02T03:04:05.006Z",
        "batch_uuid": "11111111-1111-4111-8111-111111111111",
        "twin_uuid": "11111111-1111-4111-8111-111111111111",
        "web_page": "https://example.org/one?a=1",
        "photo_link": "https://example.org/one?a=1",
        "home_terrain": "forest",
        "main_diet": "plants",
        "kept_by": "u-1",
        "found_by": "u-1",
        "catalog_code": "1 catalog co",
        "finder_name": "1 finder name",
        "id": "s-1", "updated_at": "2026-01-01T10:00:00.000Z", "version": 3
        }
        """

    @Test func `look as every earlier version knows them`() throws {
        let json = try WireJSON.decode(JSONValue.self, from: Data(document.utf8))
        #expect(try JSONValue(encoding: Stored<Specimen>.example()) == json)
        #expect(try json.decode(Stored<Specimen>.self) == .example())
    }

    @Test(arguments: Specimen.fields.map(\.name))
    func `must be whole, but for what is optional`(name: String) throws {
        var fields = try Specimen.sample.wireFields()
        fields[name] = nil
        let isOptional = try #require(Specimen.fields.first { $0.name == name }).isOptional
        #expect((try? Specimen(wireFields: fields)) != nil || !isOptional)
        #expect((try? Specimen(wireFields: fields)) == nil || isOptional)
    }

    @Test func `are at the paths they always were`() throws {
        let id = Specimen.ID("s-1")
        let tag = EntityTag(version: 3)
        #expect(try ListEntities<Specimen>().request().path == "/v1/specimens")
        #expect(try CreateEntity<Specimen>(.sample).request().path == "/v1/specimens")
        #expect(try GetEntity<Specimen>(id: id).request().path == "/v1/specimens/s-1")
        #expect(try UpdateEntity<Specimen>(id: id, ifMatch: tag, to: .sample).request().headers["If-Match"] == "\"3\"")
        #expect(try DeleteEntity<Specimen>(id: id, ifMatch: tag).request().headers["If-Match"] == "\"3\"")
    }
}
