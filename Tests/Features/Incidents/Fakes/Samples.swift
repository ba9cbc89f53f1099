import FoundationEssentials
import IncidentsDomain
import StrataDomain

extension Incident {
    /// With a value in every field.
    static let sample = Incident(
        title: "Alpha",
        alias: "Alpha",
        details: "Seen at dawn.",
        note: "Seen at dawn.",
        severity: .low,
        phase: .opened,
        startedAt: moment("2026-01-02T03:04:05.006Z"),
        endedAt: moment("2026-01-02T03:04:05.006Z"),
        count: 8,
        size: 5,
        load: 2.5,
        ratio: 2.5,
        isPublic: true,
        done: true,
        device: uuid("11111111-1111-4111-8111-111111111111"),
        peer: uuid("11111111-1111-4111-8111-111111111111"),
        page: address("https://example.org/one?a=1"),
        link: address("https://example.org/one?a=1"),
        owner: OwnerID("u-1"),
        runbook: RunbookID("u-1"),
        slug: "Alphaxxx",
        token: "Seen at dawn.",
    )

    /// With another value in every field.
    static let other = Incident(
        title: "Beta",
        alias: "Beta",
        details: "Seen at dusk.",
        note: "Seen at dusk.",
        severity: .high,
        phase: .inReview,
        startedAt: moment("2026-02-03T04:05:06.007Z"),
        endedAt: moment("2026-02-03T04:05:06.007Z"),
        count: 9,
        size: 4,
        load: 3.75,
        ratio: 3.75,
        isPublic: false,
        done: false,
        device: uuid("22222222-2222-4222-8222-222222222222"),
        peer: uuid("22222222-2222-4222-8222-222222222222"),
        page: address("https://example.org/two"),
        link: address("https://example.org/two"),
        owner: OwnerID("u-2"),
        runbook: RunbookID("u-2"),
        slug: "Betaxxxx",
        token: "Seen at dusk.",
    )

    /// With nothing but what must be there.
    static let least = Incident(
        title: "Alpha",
        details: "Seen at dawn.",
        severity: .low,
        startedAt: moment("2026-01-02T03:04:05.006Z"),
        count: 8,
        load: 2.5,
        isPublic: true,
        device: uuid("11111111-1111-4111-8111-111111111111"),
        page: address("https://example.org/one?a=1"),
        owner: OwnerID("u-1"),
        slug: "Alphaxxx",
    )

    /// Fields with a value that breaks their rule.
    static let flaws: [(field: String, value: JSONValue)] = [
        ("title", .string(String(repeating: "x", count: 201))),
        ("alias", .string(String(repeating: "x", count: 201))),
        ("details", .string(String(repeating: "x", count: 65_537))),
        ("note", .string(String(repeating: "x", count: 65_537))),
        ("size", .integer(6)),
        ("page", .string("ftp://example.org")),
        ("link", .string("ftp://example.org")),
        ("slug", .string(String(repeating: "x", count: 21))),
        ("token", .string(String(repeating: "x", count: 65_537))),
    ]

    /// `sample` with another value in one field, named as on the wire.
    static func sample(_ field: String, _ value: JSONValue) throws -> Incident {
        var fields = try sample.wireFields()
        fields[field] = value
        return try Incident(wireFields: fields)
    }

    private static func moment(_ text: String) -> Date { RFC3339.date(from: text) ?? .distantPast }
    private static func uuid(_ text: String) -> UUID { UUID(uuidString: text) ?? UUID() }
    private static func address(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }
}

extension Stored<Incident> {
    /// As the server keeps it.
    static func example(_ id: String = "s-1", _ incident: Incident = .sample, version: Int = 3) -> Self {
        Stored(id: Incident.ID(id), incident, version: version, updatedAt: Date(timeIntervalSince1970: 1_767_261_600))
    }
}
