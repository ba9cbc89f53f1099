import Testing

@testable import ScaffoldKit

struct AddFieldTests {
    private let files = MemoryFileSystem.sample()
    private var tool: ScaffoldTool { ScaffoldTool(files) }
    private let runbook: RelativePath = "Modules/Features/Runbooks/Domain/Runbook.swift"

    @Test func `a field of an entity written by hand is a row, a property and a type, with the next migration`() throws
    {
        let before = files.files
        let report = try tool.addField("channel:enum(page,mail,chat):filter", to: "Runbook", isDry: false)

        #expect(report.changes.map(\.path) == [runbook.description])
        #expect(report.next.contains { $0.contains("optional") })
        let text = try #require(files.files[runbook]?.text)
        #expect(text.contains("        .init(\"channel\", \\.channel).filterable.since(4),\n    ]\n"), "\(text)")
        #expect(
            text.contains("    package var source: URL?\n    package var channel: Channel?\n    package var summary"))
        #expect(
            text.contains(
                "    package enum Channel: String, FieldChoice { case page, mail, chat }\n\n    /// One line.\n    package var title"
            ))
        #expect(files.files.filter { $0.key != runbook } == before.filter { $0.key != runbook })
    }

    /// The formatter takes the comma from a list with one row.
    @Test func `a field is added to an entity with one field`() throws {
        let rules = try SourceTree(LocalFileSystem(root: repositoryRoot)).text(".swift-format")
        files.edit(".swift-format", rules)
        let tool = ScaffoldTool(files, strata: SourceTree(files), formatter: SwiftFormat())
        _ = try tool.add(.checklist, isDry: false)
        _ = try tool.addField("note:text", to: "Checklist", isDry: false)
        let text = try #require(files.files["Modules/Features/Checklists/Domain/Checklist.swift"]?.text)
        #expect(text.contains(".line(1...200)),\n"), "\(text)")
        #expect(text.contains(".init(\"note\", \\.note, .lines(1...65_536)).since(2)"), "\(text)")
    }

    @Test func `a second run changes nothing, and another field of the name is refused`() throws {
        _ = try tool.addField("channel:enum(page,mail)", to: "Runbooks", isDry: false)
        let before = files.snapshot
        #expect(try tool.addField("channel:enum(page,mail)?", to: "runbook", isDry: false).changes.isEmpty)
        #expect(
            refusal { _ = try tool.addField("channel:text", to: "Runbook", isDry: false) }.contains(
                "has a field 'channel'"))
        #expect(files.snapshot == before)
    }

    @Test func `names and migrations of earlier fields are not used again`() throws {
        let text = try #require(files.files[runbook]?.text)
        let start = try #require(text.firstRange(of: "    package static let fields")?.lowerBound)
        let removed = """
                static let removedFields: [EntityField<Runbook>] = [
                    .init("level", removed: 0).since(9), .init("kilos", removed: Double?.none),
                ]

            """
        files.edit(runbook, String(text[..<start]) + removed + text[start...])
        #expect(
            refusal { _ = try tool.addField("level:int", to: "Runbook", isDry: false) }.contains(
                "had a field 'level' in an earlier version"))
        _ = try tool.addField("channel:text", to: "Runbook", isDry: false)
        #expect(
            files.files[runbook]?.text?.contains(".init(\"channel\", \\.channel, .lines(1...65_536)).since(10)") == true
        )
    }

    @Test func `a dry run names what a run changes, and changes nothing`() throws {
        _ = try tool.add(.incident, isDry: false)
        let before = files.snapshot
        let dry = try tool.addField("owner:reference(User)", to: "Incident", isDry: true)
        #expect(dry.exitCode == .done)
        #expect(files.snapshot == before)
        #expect(try tool.addField("owner:reference(User)", to: "Incident", isDry: false).changes == dry.changes)
        #expect(dry.changes.count <= 5)
    }

    @Test func `an added reference may be missing, and its rule stands in the row and in the record`() throws {
        _ = try tool.add(.checklist, isDry: false)
        let report = try tool.addField("runbook:reference(Runbook,clear)", to: "Checklist", isDry: false)
        let entity = try #require(files.files["Modules/Features/Checklists/Domain/Checklist.swift"]?.text)
        #expect(
            entity.contains(".init(\"runbook\", \\.runbook).references(Runbook.self, onDelete: .clear).since(2),"),
            "\(entity)")
        #expect(entity.contains("package var runbook: Runbook.ID?\n") && entity.contains("import RunbooksDomain\n"))
        #expect(files.files["Package.swift"]?.text?.contains("refersTo: [\"Runbooks\"]") == true)
        #expect(try tool.list().features.first?.fields.hasSuffix("runbook:reference(Runbook,clear)?") == true)
        #expect(!report.changes.isEmpty)
        #expect(
            try tool.addField("runbook:reference(Runbook,clear)", to: "Checklist", isDry: false).changes.isEmpty)
    }

    @Test func `a feature whose required field would be cleared is refused`() {
        let before = files.snapshot
        let request = AddFeature.Request(name: "Drill", fields: "runbook:reference(Runbook,clear)")
        #expect(refusal { _ = try tool.add(request, isDry: false) }.contains("'runbook:reference(Runbook,clear)?'"))
        #expect(files.snapshot == before)
    }

    @Test func `two features that refer to each other are refused, also over a third one`() throws {
        _ = try tool.add(.checklist, isDry: false)
        let drill = AddFeature.Request(name: "Drill", fields: "title:string runbook:reference(Runbook)")
        let review = AddFeature.Request(
            name: "Review", fields: "title:string checklist:reference(Checklist) drill:reference(Drill)")
        for request in [drill, review] { _ = try tool.add(request, isDry: false) }
        let before = files.snapshot
        for target in ["Drill", "Review"] {
            let message = refusal { _ = try tool.addField("a:reference(\(target))", to: "Runbook", isDry: false) }
            #expect(message.contains("because \(target)s refers to Runbooks already"), "\(message)")
        }
        #expect(files.snapshot == before)
        // Another way is free.
        _ = try tool.addField("list:reference(Checklist)", to: "Drill", isDry: false)
    }

    @Test func `a type that is no entity is not referred to`() throws {
        files.edit("Modules/Features/Runbooks/Domain/Excerpt.swift", "package struct Excerpt: Codable {}\n")
        _ = try tool.add(.checklist, isDry: false)
        let before = files.snapshot
        let messages = [
            refusal { _ = try tool.addField("excerpt:reference(Excerpt)", to: "Checklist", isDry: false) },
            refusal { _ = try tool.add(.init(name: "Drill", fields: "a:reference(Excerpt)"), isDry: false) },
        ]
        for message in messages {
            #expect(message.contains("no entity") && message.contains("'excerpt:uuid'"), "\(message)")
        }
        #expect(files.snapshot == before)
    }

    @Test func `a feature with added fields is removed to the byte`() throws {
        let before = files.snapshot
        _ = try tool.add(.incident, isDry: false)
        for field in ["owner:reference(User)", "at:date:sort", "phase:enum(new,old)"] {
            _ = try tool.addField(field, to: "Incident", isDry: false)
        }
        let entity = try #require(files.files["Modules/Features/Incidents/Domain/Incident.swift"]?.text)
        #expect(
            entity.contains("package import AccountsDomain\n")
                && entity.contains("package import FoundationEssentials\n"))
        #expect(entity.contains(".since(2),") && entity.contains(".since(4),"))
        let row = "Feature(\"Incidents\", .offline, refersTo: [\"Accounts\", \"Runbooks\"])"
        #expect(files.files["Package.swift"]?.text?.contains(row) == true)
        #expect(try tool.list().features.map(\.differences) == [[]])
        #expect(try tool.list().features.first?.fields.hasSuffix("phase:enum(new,old)?") == true)
        _ = try tool.remove("Incident", isForced: false, isDry: false)
        #expect(files.snapshot == before)
    }

    @Test func `a file that was edited before stays known as edited`() throws {
        _ = try tool.add(.incident, isDry: false)
        let path: RelativePath = "Modules/Features/Incidents/Domain/Incident.swift"
        files.edit(path, try #require(files.files[path]?.text) + "// mine\n")
        _ = try tool.addField("at:date", to: "Incident", isDry: false)
        #expect(try tool.list().features.first?.differences == ["\(path): edited"])
    }

    @Test(arguments: [
        ("Nothing", "a:text", "use one of: Runbook"), ("User", "a:text", "no entity"),
        ("Runbook", "a:text b:text", "2 fields"),
        ("Runbook", "", "0 fields"), ("Runbook", "a:strin", "kinds are"),
        ("Runbook", "order:int", "reserved word of SQL"),
        ("Runbook", "a:reference(Nothing)", "no feature has"),
        ("Runbook", "a:reference(Runbook)", "its own kind. Use an id that is not checked, 'a:uuid'"),
        ("../x", "a:text", "no entity"),
    ])
    func `what cannot be added is refused, and nothing changes`(name: String, field: String, reason: String) {
        let before = files.snapshot
        let message = refusal { _ = try tool.addField(field, to: name, isDry: false) }
        #expect(message.contains(reason), "\(message)")
        #expect(files.snapshot == before)
    }

    @Test func `an entity of another shape is refused with what to do`() throws {
        let text = try #require(files.files[runbook]?.text)
        files.edit(runbook, text.replacing("package var ", with: "package let "))
        #expect(refusal { _ = try tool.addField("a:text", to: "Runbook", isDry: false) }.contains("by hand"))
    }
}
