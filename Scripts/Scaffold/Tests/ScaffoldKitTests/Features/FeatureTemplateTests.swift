import Testing

@testable import ScaffoldKit

/// The example, and its copies.
struct FeatureTemplateTests {
    private let strata: SourceTree

    init() throws { strata = SourceTree(try LocalFileSystem(root: repositoryRoot)) }

    private func rendered(
        _ name: String, _ fields: String, _ policy: FeatureSpec.Policy = .remote,
        _ ownership: FeatureSpec.Ownership = .everyone, formatter: any SourceFormatter = AsItIs()
    ) throws -> [RelativePath: String] {
        let spelling = Spelling(name)
        let spec = FeatureSpec(
            name: spelling, plural: Spelling(Plural.of(spelling) ?? ""), fields: try FieldParser.parse(fields),
            policy: policy, ownership: ownership)
        return try FeatureTemplate(strata: strata, formatter: formatter).render(
            spec, references: EntityPlace.referred(to: spec.references, by: spec, in: strata, strata: strata),
            rules: strata.text(".swift-format"))
    }

    /// Every kind, required and optional.
    private static let example = """
        petName:string(1..40):search:sort folkName:string(1..60)?:search:sort fieldNotes:text:search labNotes:text?:search
        legCount:int(0..1000):filter:sort spotCount:int(0..500)?:filter:sort weightGrams:double:sort
        lengthMeters:double?:sort isVenomous:bool:filter isNocturnal:bool?:filter foundAt:date:sort examinedAt:date?:sort
        batchUuid:uuid:filter twinUuid:uuid?:filter webPage:url photoLink:url? homeTerrain:enum(forest,meadow,pond):filter
        mainDiet:enum(plants,insects)?:filter keptBy:reference(User):filter foundBy:reference(User)?:filter
        catalogCode:string(3..12):unique finderName:string(1..80)?:redact
        """

    @Test(arguments: FeatureSpec.Policy.allCases)
    func `a feature has one table, so that its hooks run for every write`(policy: FeatureSpec.Policy) throws {
        let text = try rendered("Depot", "title:string(1..40)", policy).values.joined()
        #expect(text.ranges(of: "EntityTable<Depot>(").count == 1)
    }

    @Test(arguments: FeatureSpec.Policy.allCases)
    func `written as itself, the example is the same to the byte`(policy: FeatureSpec.Policy) throws {
        let files = try rendered("Specimen", Self.example, policy, .readableByAll, formatter: SwiftFormat())
        #expect(files.count == (policy == .offline ? 5 : 4))
        for (path, text) in files { #expect(try strata.text(path) == text, "\(path)") }
    }

    @Test(arguments: FeatureSpec.Policy.allCases)
    func `a feature has at most eight files and 160 lines, also with a field of each kind`(
        policy: FeatureSpec.Policy
    ) throws {
        let files = try rendered("Specimen", Self.example, policy, .author, formatter: SwiftFormat())
        let lines = files.values.reduce(0) { $0 + $1.split(separator: "\n", omittingEmptySubsequences: false).count }
        #expect(files.count <= 8)
        #expect(lines <= 160)
    }

    @Test func `a field has a row, a property and its choices, in the order in which it was given`() throws {
        let files = try rendered(
            "LabReport",
            "title:string(1..200):search:unique verdict:enum(low,high)?:filter size:int(-5..-1) at:date:sort")
        let entity = try #require(files["Modules/Features/LabReports/Domain/LabReport.swift"])
        #expect(
            entity.contains(
                """
                    package static let fields: [EntityField<LabReport>] = [
                        .init("title", \\.title, .line(1...200)).unique.searchable,
                        .init("verdict", \\.verdict).filterable,
                        .init("size", \\.size, .within(-5...(-1))),
                        .init("at", \\.at).sortable,
                    ]

                    package enum Verdict: String, FieldChoice { case low, high }

                    package var title: String
                    package var verdict: Verdict?
                    package var size: Int
                    package var at: Date
                }
                """), "\(entity)")
        #expect(entity.contains("noun = \"lab report\"") && entity.contains("collection = \"lab_reports\""))
        #expect(entity.contains("import FoundationEssentials") && !entity.contains("AccountsDomain"))
    }

    @Test func `a reference is part of the row of its field`() throws {
        let files = try rendered(
            "Drill",
            """
            runbook:reference(Runbook):filter:sort next:reference(Runbook,clear)? last:reference(Runbook,cascade)
            lead:reference(User):filter
            """, formatter: SwiftFormat())
        let entity = try #require(files["Modules/Features/Drills/Domain/Drill.swift"])
        #expect(
            entity.contains(
                """
                    package static let fields: [EntityField<Drill>] = [
                        .init("runbook", \\.runbook).references(Runbook.self).sortable,
                        .init("next", \\.next).references(Runbook.self, onDelete: .clear),
                        .init("last", \\.last).references(Runbook.self, onDelete: .cascade),
                        .init("lead", \\.lead).filterable,
                    ]

                    package var runbook: Runbook.ID
                    package var next: Runbook.ID?
                    package var last: Runbook.ID
                    package var lead: User.ID
                }
                """), "\(entity)")
        #expect(entity.contains("package import RunbooksDomain\n"))
    }

    @Test func `nothing of the example is left in a feature, whatever it is called`() throws {
        for (name, fields) in [("Note", "title:text"), ("SpotCount", "petName:bool forest:enum(pond,meadow)")] {
            for (path, text) in try rendered(name, fields, .offline) {
                for word in ["pecimen", "legCount", "leg_count", "insects", "Terrain"] {
                    #expect(!text.contains(word) && !path.description.contains(word), "\(path): \(word)")
                }
                #expect(!text.contains("\n\n\n") && !text.contains("[\n\n"), "\(path)")
            }
        }
        let group = "Modules/Features/LabReports/Presentation/LabReportsGroup.swift" as RelativePath
        #expect(try rendered("LabReport", "a:text")[group]?.contains("/// `lab-reports`.") == true)
        let event = try #require(
            try rendered("Event", "a:text", formatter: AsItIs())["Modules/Features/Events/Domain/Event.swift"])
        #expect(event.contains("an event"))
    }

    @Test(arguments: FeatureSpec.Ownership.allCases)
    func `an owner other than everyone stands in the entity`(ownership: FeatureSpec.Ownership) throws {
        let files = try rendered("Note", "a:text", .remote, ownership)
        let entity = try #require(files["Modules/Features/Notes/Domain/Note.swift"])
        let line = "package static let ownership = Ownership.\(ownership.swift)\n"
        #expect(entity.contains("ownership") == (ownership != .everyone))
        #expect(entity.contains(line) == (ownership != .everyone), "\(entity)")
    }

    @Test func `the lists of this repository have their markers`() throws {
        let names = try FeatureNames.read("Incident")
        let spec = FeatureSpec(name: names.name, plural: names.plural, fields: [], policy: .offline)
        let client = try ClientTemplate.example()
        for line in RegionLine.all(for: spec, references: []) + [.row(of: client)] {
            _ = try MarkedRegion(line.region, in: strata.text(line.file), of: line.file)
        }
    }
}
