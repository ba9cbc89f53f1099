import Testing

@testable import ScaffoldKit

/// The feature that others are copied from, and the copies.
@Suite struct ExemplarTests {
    private let tree: SourceTree

    init() throws {
        let root = #filePath.firstRange(of: "/Scripts/Scaffold/").map { String(#filePath[..<$0.lowerBound]) } ?? "/"
        tree = SourceTree(try LocalFileSystem(root: root))
    }

    @Test(arguments: FeatureSpec.Policy.allCases)
    func `written as itself it is itself, byte for byte`(policy: FeatureSpec.Policy) throws {
        let rendered = try ExemplarRenderer().render(Exemplar.spec(policy), from: tree)
        #expect(rendered.files.count >= 8)
        for (path, text) in rendered.files { #expect(try tree.text(path) == text, "\(path)") }
    }

    /// Features of every shape.
    static let specs: [FeatureSpec] = [
        spec("Note", .remote, "title:string(1..200)"),
        spec("Incident", .offline, everything),
        spec("LabReport", .cached, "sampleCode:string(2..2):unique value:double? verdict:enum(yes,no)?:redact"),
        spec("Visit", .offline, "done:bool? rank:int? link:url?"),
        spec("AirportTerminalGate", .cached, "level:enum(low) owner:reference(AirportTerminalGate)?"),
        spec("Unit", .remote, "size:int(-5..-1):unique depth:int seen:date:unique token:uuid:unique:redact"),
        // Words of the exemplar itself: what was written must not be taken for them.
        spec("SpotCount", .offline, "petName:bool legCount:string(0..3) homeTerrain:double forest:enum(pond,meadow)"),
    ]

    private static let everything = """
        title:string(1..200) alias:string? details:text note:text? count:int size:int(-5..5)? load:double ratio:double?
        isPublic:bool done:bool? startedAt:date endedAt:date? device:uuid peer:uuid? page:url link:url?
        severity:enum(low,high) phase:enum(opened,inReview,closed)? owner:reference(Runbook) runbook:reference(Runbook)?
        slug:string(8..20):unique token:text?:redact
        """

    private static func spec(_ name: String, _ policy: FeatureSpec.Policy, _ fields: String) -> FeatureSpec {
        let name = Spelling(name)
        return FeatureSpec(
            name: name, plural: Spelling(Plural.of(name) ?? ""), fields: (try? FieldParser.parse(fields)) ?? [],
            policy: policy)
    }

    private func rendered(_ spec: FeatureSpec) throws -> [RelativePath: String] {
        try ExemplarRenderer(formatter: AsItIs()).render(spec, from: tree).files
    }

    @Test(arguments: specs) func `nothing of the exemplar is left in another feature`(spec: FeatureSpec) throws {
        let own = Set(spec.fields.map(\.name) + [spec.name.lowerCamel])
        var words = ["pecimen"]
        for field in Exemplar.fields
        where !own.contains(field.name) && spec.name.upperCamel != field.spelling.upperCamel {
            words += [field.spelling.lowerCamel, field.spelling.upperCamel, field.spelling.snake, field.spelling.kebab]
        }
        if spec.name.upperCamel != "SpotCount" { words += ["forest", "meadow", "insects"] }
        if !spec.references.contains(where: { $0.module == "Accounts" }) { words.append("AccountsDomain") }
        for (path, text) in try rendered(spec) {
            for word in words { #expect(!text.contains(word) && !path.description.contains(word), "\(path): \(word)") }
        }
    }

    @Test(arguments: specs) func `a feature has the parts of its policy only`(spec: FeatureSpec) throws {
        let folders = Set(try rendered(spec).keys.flatMap(\.components))
        #expect(folders.contains("Offline") == (spec.policy == .offline))
    }

    @Test(arguments: specs) func `every field is in each place, in the order it was given`(spec: FeatureSpec) throws {
        let files = try rendered(spec)
        let at = "Modules/Features/\(spec.module)"
        let name = spec.name.upperCamel
        let entity = try #require(files[try RelativePath("\(at)/Domain/\(name).swift")])
        let lead = "        .init(\""
        let lines = entity.split(separator: "\n").filter { $0.hasPrefix(lead) }
        let columns = lines.compactMap { line in
            spec.fields.first { line.dropFirst(lead.count).hasPrefix("\($0.column)\"") }
        }
        #expect(columns == spec.fields)
        #expect(lines.count { $0.contains(".unique") } == spec.fields.count { $0.isUnique })
        #expect(lines.count { $0.contains(".redacted") } == spec.fields.count { $0.isRedacted })
        for field in spec.fields { #expect(entity.hasWord("package var \(field.name)")) }
        #expect(entity.contains("import FoundationEssentials") == spec.fields.contains { $0.kind.isOfFoundation })
    }

    @Test(arguments: specs) func `a feature has a line in each list`(spec: FeatureSpec) throws {
        let lines = try ExemplarRenderer(formatter: AsItIs()).render(spec, from: tree).regionLines
        let module = spec.module
        #expect(lines.map(\.line).contains("import \(module)Service"))
        let entity = spec.name.upperCamel
        #expect(lines.map(\.line).contains(".\(spec.policy.rawValue)(\(module)Group.self, \(entity).self),"))
        let isKept = lines.contains { $0.region == "synchronised" && $0.line == "Synchronised.entity(\(entity).self)" }
        #expect(isKept == (spec.policy == .offline))
        let row = try #require(lines.first { $0.file == "Package.swift" }?.line)
        #expect(row.hasPrefix("Feature(\"\(module)\", .\(spec.policy.rawValue)"))
        #expect(row.contains("refersTo: [\"Runbooks\"]") == (module == "Incidents"))
        for line in lines { _ = try MarkedRegion(line.region, in: tree.text(line.file), of: line.file) }
    }

    @Test func `a case that is a keyword stands in backticks`() throws {
        let files = try rendered(Self.spec("Note", .remote, "level:enum(none,high)? kind:enum(in,some)"))
        let entity = try #require(files["Modules/Features/Notes/Domain/Note.swift"])
        #expect(entity.contains("enum Level: String, FieldChoice { case none, high }"))
        #expect(entity.contains("enum Kind: String, FieldChoice { case `in`, some }"))
    }

    @Test func `a line of the exemplar that names two fields is refused`() {
        #expect(throws: ScaffoldRefusal.self) {
            try FieldBlocks(["a", "let petName = legCount"], of: "Modules/Features/Specimens/Domain/Specimen.swift")
        }
    }
}

/// What a word becomes, place by place.
@Suite struct FeatureWordsTests {
    private let spec = FeatureSpec(
        name: Spelling("IncidentReport"), plural: Spelling("IncidentReports"), fields: [], policy: .remote)

    @Test(arguments: [
        ("struct RemoteSpecimenRepository {", "struct RemoteIncidentReportRepository {"),
        ("let specimens = specimen.id", "let incidentReports = incidentReport.id"),
        ("/// A specimen, or a specimen's.", "/// An incident report, or an incident report's."),
        ("/// Specimens in a page.", "/// Incident reports in a page."),
        ("/// `specimens list`.", "/// `incident-reports list`."),
        ("/// `GET /v1/specimens/{id}`", "/// `GET /v1/incident-reports/{id}`"),
        ("/// `Specimen.migration`", "/// `IncidentReport.migration`"),
        (
            "commandName: \"specimens\", abstract: \"Show a specimen.\"",
            "commandName: \"incident-reports\", abstract: \"Show an incident report.\""
        ),
        ("noun = \"specimen\"", "noun = \"incident report\""),
        ("collection = \"specimens\"", "collection = \"incident_reports\""),
        (
            "\"No \\(specimen.id) specimen; 'shiftlog specimens list'\"",
            "\"No \\(incidentReport.id) incident report; 'shiftlog incident-reports list'\""
        ),
        ("@Suite struct `Specimens on the wire` {", "@Suite struct `Incident reports on the wire` {"),
        ("@Test func `a specimen is kept`() {", "@Test func `an incident report is kept`() {"),
        ("specimenToWrite(special)", "incidentReportToWrite(special)"),
    ])
    func `a word is spelled for its place`(line: String, expected: String) {
        var words = FeatureWords(spec, isProse: false)
        #expect(words.written(line) == expected)
    }

    @Test func `text over several lines is text`() {
        var words = FeatureWords(spec, isProse: false)
        #expect(words.written("\"specimens-1\", \"\"\"") == "\"incident_reports-1\", \"\"\"")
        #expect(words.written("CREATE TABLE specimens (") == "CREATE TABLE incident_reports (")
        #expect(words.written("\"\"\") + specimens") == "\"\"\") + incidentReports")
    }

    @Test(arguments: [
        ("Unit", "a unit"), ("Hour", "an hour"), ("Event", "an event"), ("User", "a user"), ("Note", "a note"),
    ])
    func `an article goes with its sound`(name: String, expected: String) {
        var words = FeatureWords(
            FeatureSpec(name: Spelling(name), plural: Spelling(name + "s"), fields: [], policy: .remote), isProse: true)
        #expect(words.written("It is a specimen.") == "It is \(expected).")
    }
}

/// Leaves the text as it is.
private struct AsItIs: SourceFormatter {
    func formatted(_ files: [RelativePath: String], by rules: String) throws(ScaffoldRefusal) -> [RelativePath: String]
    {
        files
    }
}

extension Field.Kind {
    fileprivate var isOfFoundation: Bool {
        switch self {
        case .date, .uuid, .url: true
        default: false
        }
    }
}
