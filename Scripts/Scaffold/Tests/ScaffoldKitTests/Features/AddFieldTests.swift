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

    @Test func `a dry run names what a run changes, and changes nothing`() throws {
        _ = try tool.add(.incident, isDry: false)
        let before = files.snapshot
        let dry = try tool.addField("owner:reference(User)", to: "Incident", isDry: true)
        #expect(dry.exitCode == .done)
        #expect(files.snapshot == before)
        #expect(try tool.addField("owner:reference(User)", to: "Incident", isDry: false).changes == dry.changes)
        #expect(dry.changes.count <= 5)
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
        ("Runbook", "a:reference(Nothing)", "no feature has"), ("../x", "a:text", "no entity"),
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
