import AccountsDomain
import FoundationEssentials
import StrataDomain

@testable import SpecimensDomain

extension Specimen {
    /// With a value in every field.
    static let sample = Specimen(
        petName: "1 pet name",
        folkName: "1 folk name",
        fieldNotes: "1 field notes",
        labNotes: "1 lab notes",
        legCount: 8,
        spotCount: 8,
        weightGrams: 2.5,
        lengthMeters: 2.5,
        isVenomous: true,
        isNocturnal: true,
        foundAt: moment("2026-01-02T03:04:05.006Z"),
        examinedAt: moment("2026-01-02T03:04:05.006Z"),
        batchUuid: uuid("11111111-1111-4111-8111-111111111111"),
        twinUuid: uuid("11111111-1111-4111-8111-111111111111"),
        webPage: address("https://example.org/one?a=1"),
        photoLink: address("https://example.org/one?a=1"),
        homeTerrain: .forest,
        mainDiet: .plants,
        keptBy: User.ID("u-1"),
        foundBy: User.ID("u-1"),
        catalogCode: "1 catalog co",
        finderName: "1 finder name",
    )

    /// With another value in every field.
    static let other = Specimen(
        petName: "2 pet name",
        folkName: "2 folk name",
        fieldNotes: "2 field notes",
        labNotes: "2 lab notes",
        legCount: 9,
        spotCount: 9,
        weightGrams: 3.75,
        lengthMeters: 3.75,
        isVenomous: false,
        isNocturnal: false,
        foundAt: moment("2026-02-03T04:05:06.007Z"),
        examinedAt: moment("2026-02-03T04:05:06.007Z"),
        batchUuid: uuid("22222222-2222-4222-8222-222222222222"),
        twinUuid: uuid("22222222-2222-4222-8222-222222222222"),
        webPage: address("https://example.org/two"),
        photoLink: address("https://example.org/two"),
        homeTerrain: .meadow,
        mainDiet: .insects,
        keptBy: User.ID("u-2"),
        foundBy: User.ID("u-2"),
        catalogCode: "2 catalog co",
        finderName: "2 finder name",
    )

    /// With nothing but what must be there.
    static let least = Specimen(
        petName: "1 pet name",
        fieldNotes: "1 field notes",
        legCount: 8,
        weightGrams: 2.5,
        isVenomous: true,
        foundAt: moment("2026-01-02T03:04:05.006Z"),
        batchUuid: uuid("11111111-1111-4111-8111-111111111111"),
        webPage: address("https://example.org/one?a=1"),
        homeTerrain: .forest,
        keptBy: User.ID("u-1"),
        catalogCode: "1 catalog co",
    )

    /// Fields with a value that breaks their rule.
    static let flaws: [(field: String, value: JSONValue)] = [
        ("pet_name", .string(String(repeating: "x", count: 41))),
        ("folk_name", .string(String(repeating: "x", count: 61))),
        ("field_notes", .string(String(repeating: "x", count: 65_537))),
        ("lab_notes", .string(String(repeating: "x", count: 65_537))),
        ("leg_count", .integer(1001)),
        ("spot_count", .integer(501)),
        ("web_page", .string("ftp://example.org")),
        ("photo_link", .string("ftp://example.org")),
        ("catalog_code", .string(String(repeating: "x", count: 13))),
        ("finder_name", .string(String(repeating: "x", count: 81))),
    ]

    /// `sample` with another value in one field, named as on the wire.
    static func sample(_ field: String, _ value: JSONValue) throws -> Specimen {
        var fields = try sample.wireFields()
        fields[field] = value
        return try Specimen(wireFields: fields)
    }

    private static func moment(_ text: String) -> Date { RFC3339.date(from: text) ?? .distantPast }
    private static func uuid(_ text: String) -> UUID { UUID(uuidString: text) ?? UUID() }
    private static func address(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }
}

extension Stored<Specimen> {
    /// As the server keeps it.
    static func example(_ id: String = "s-1", _ specimen: Specimen = .sample, version: Int = 3) -> Self {
        Stored(id: Specimen.ID(id), specimen, version: version, updatedAt: Date(timeIntervalSince1970: 1_767_261_600))
    }
}
