import Testing

@testable import ScaffoldKit

/// Adding, removing, listing and checking, from the outside.
@Suite struct FeatureToolTests {
    private let files = MemoryFileSystem.sample()
    private var tool: ScaffoldTool { ScaffoldTool(files) }

    // MARK: Adding

    @Test func `a dry run tells what a run does, and does nothing`() throws {
        let before = files.snapshot

        let dry = try tool.add(.incident, isDry: true)
        #expect(dry.exitCode == .done)
        #expect(files.snapshot == before)

        let done = try tool.add(.incident, isDry: false)
        #expect(done.exitCode == .done)
        #expect(dry.changes == done.changes)
        #expect(Set(done.changes.map(\.path)) == changed(from: before))
    }

    @Test(arguments: [
        ("title:string(1..80)", FeatureSpec.Policy.offline, "spaceId:reference(Space,cascade)"),
        ("spaceId:reference(Space,cascade)? title:string(1..80)", .offline, "spaceId:reference(Space,cascade)"),
        ("spaceId:reference(Space,cascade) title:string(1..80)", .cached, "would outlive a membership"),
    ])
    func `an entity of a space says to which it belongs, and is in no cache`(
        fields: String, policy: FeatureSpec.Policy, sentence: String
    ) throws {
        let before = files.snapshot
        let request = AddFeature.Request(name: "Depot", fields: fields, policy: policy, ownership: .space)
        let message = refusal { _ = try tool.add(request, isDry: false) }
        #expect(message.contains(sentence), "\(message)")
        #expect(files.snapshot == before)
    }

    @Test func `a recorded interface is to be recorded anew`() throws {
        let files = MemoryFileSystem.sample()
        #expect(try !ScaffoldTool(files).add(.checklist, isDry: false).text.contains("Record it"))
        files.edit("Tests/Recorded/openapi.json", "{}")
        for report in [
            try ScaffoldTool(files).add(.incident, isDry: false),
            try ScaffoldTool(files).addField("more:text?", to: "Incident", isDry: false),
            try ScaffoldTool(files).remove("Checklist", isForced: false, isDry: false),
        ] { #expect(report.text.contains("Record it: Scripts/openapi --write"), "\(report.text)") }
    }

    @Test func `a second run changes nothing and says so`() throws {
        _ = try tool.add(.incident, isDry: false)
        let before = files.snapshot

        for isDry in [true, false] {
            let again = try tool.add(.incident, isDry: isDry)
            #expect(again.exitCode == .done)
            #expect(again.changes.isEmpty)
            #expect(again.message.contains("nothing was changed"))
        }
        #expect(files.snapshot == before)
    }

    @Test func `a second run leaves edited files alone`() throws {
        _ = try tool.add(.incident, isDry: false)
        files.edit("Modules/Features/Incidents/README.md", "mine")

        #expect(try tool.add(.incident, isDry: false).changes.isEmpty)
        #expect(files.files["Modules/Features/Incidents/README.md"]?.text == "mine")
    }

    @Test func `the same name with other answers is refused, with the answers it has`() throws {
        _ = try tool.add(.incident, isDry: false)
        let before = files.snapshot
        var other = AddFeature.Request.incident
        other.policy = .remote

        let message = refusal { _ = try tool.add(other, isDry: false) }

        #expect(
            message.contains(
                "--policy offline --owner everyone --fields 'title:string(1..200) severity:enum(low,high)"),
            "\(message)")
        #expect(files.snapshot == before)
    }

    @Test func `the order of two features does not matter`() throws {
        let other = MemoryFileSystem.sample()
        _ = try tool.add(.incident, isDry: false)
        _ = try tool.add(.checklist, isDry: false)
        _ = try ScaffoldTool(other).add(.checklist, isDry: false)
        _ = try ScaffoldTool(other).add(.incident, isDry: false)

        #expect(files.snapshot == other.snapshot)
    }

    @Test(arguments: [
        ("Modules/Features/Incidents/Domain/Old.swift", "feature 'Incidents'"),
        ("Modules/Features/incidents/Old.swift", "feature 'incidents'"),
        ("Tests/Features/Incidents/Old.swift", "feature 'Incidents'"),
        (".scaffold/features/incident.json", "only by capitals"), (".scaffold/features/Incident.json", "no record"),
    ])
    func `what is in the way is not overwritten`(path: RelativePath, reason: String) {
        files.edit(path, "mine")
        let before = files.snapshot

        let message = refusal { _ = try tool.add(.incident, isDry: false) }

        #expect(message.contains(reason), "\(message)")
        #expect(files.snapshot == before)
    }

    @Test(
        arguments: ["Package.swift", "Apps/Backend/Features.swift", "Apps/CLI/Features/CommandSet+All.swift"]
            as [RelativePath])
    func `a list without its markers stops everything, with the line to add`(path: RelativePath) throws {
        let text = try #require(files.files[path]?.text)
        files.edit(path, text.replacing("scaffold:begin features", with: "edited"))
        let before = files.snapshot

        let message = refusal { _ = try tool.add(.incident, isDry: false) }

        #expect(message.contains("'\(path)'") && message.contains("The line to have there is: "), "\(message)")
        #expect(message.contains("Incidents"), "\(message)")
        #expect(files.snapshot == before)
    }

    @Test func `nothing is written through a link`() {
        files.link(".scaffold")

        #expect(refusal { _ = try tool.add(.incident, isDry: false) }.contains("symbolic link"))
    }

    @Test func `a feature that others may refer to is found by its name`() throws {
        _ = try tool.add(.incident, isDry: false)
        let review = AddFeature.Request(name: "Review", fields: "incident:reference(Incident)", policy: .remote)

        _ = try tool.add(review, isDry: false)

        #expect(
            files.files["Package.swift"]?.text?.contains("Feature(\"Reviews\", .remote, refersTo: [\"Incidents\"])")
                == true
        )
    }

    // MARK: Removing

    @Test func `what was added goes to the byte`() throws {
        let before = files.snapshot
        _ = try tool.add(.incident, isDry: false)

        let dry = try tool.remove("Incident", isForced: false, isDry: true)
        #expect(dry.exitCode == .done)
        let done = try tool.remove("Incident", isForced: false, isDry: false)
        #expect(done.exitCode == .done)
        #expect(done.changes == dry.changes)
        #expect(files.snapshot == before)
    }

    @Test func `one goes, the other stays as if it had been alone`() throws {
        let alone = MemoryFileSystem.sample()
        _ = try ScaffoldTool(alone).add(.checklist, isDry: false)
        _ = try tool.add(.incident, isDry: false)
        _ = try tool.add(.checklist, isDry: false)

        _ = try tool.remove("incidents", isForced: false, isDry: false)

        #expect(files.snapshot == alone.snapshot)
    }

    @Test func `changed files are listed and stay`() throws {
        _ = try tool.add(.incident, isDry: false)
        files.edit("Modules/Features/Incidents/Domain/Incident.swift", "edited")
        files.edit("Modules/Features/Incidents/Domain/Mine.swift", "mine")
        files.discard("Modules/Features/Incidents/README.md")
        let package = try #require(files.files["Package.swift"]?.text)
        files.edit(
            "Package.swift",
            package.replacing("Feature(\"Incidents\", .offline", with: "Feature(\"Incidents\", .remote"))
        let before = files.snapshot

        let message = refusal { _ = try tool.remove("Incident", isForced: false, isDry: false) }

        #expect(message.contains("Modules/Features/Incidents/Domain/Incident.swift: edited"), "\(message)")
        #expect(message.contains("Domain/Mine.swift: not written with it"), "\(message)")
        #expect(message.contains("Modules/Features/Incidents/README.md: missing"), "\(message)")
        #expect(files.snapshot == before)
    }

    @Test func `with force, copies of changed files are kept`() throws {
        let before = files.files
        _ = try tool.add(.incident, isDry: false)
        files.edit("Modules/Features/Incidents/Domain/Incident.swift", "edited")
        files.edit("Modules/Features/Incidents/Domain/Mine.swift", "mine")

        let report = try tool.remove("Incident", isForced: true, isDry: false)

        let kept = ".scaffold/backups/Incident-1/Modules/Features/Incidents/Domain"
        #expect(files.files[try RelativePath("\(kept)/Incident.swift")]?.text == "edited")
        #expect(files.files[try RelativePath("\(kept)/Mine.swift")]?.text == "mine")
        #expect(files.files.filter { !$0.key.isWithin(".scaffold") } == before)
        #expect(report.next.contains { $0.contains(".scaffold/backups/Incident-1") })
    }

    @Test(arguments: [
        ("Modules/Features/Runbooks/Data/Uses.swift", "import IncidentsDomain"),
        ("Tests/EndToEnd/UsesTests.swift", "@testable import IncidentsService"),
        ("Apps/CLI/Uses.swift", "import struct IncidentsDomain.Incident"),
    ])
    func `a feature that something uses stays, forced or not`(path: RelativePath, line: String) throws {
        _ = try tool.add(.incident, isDry: false)
        files.edit(path, "// import IncidentsAPI\n\(line)\n")
        let before = files.snapshot

        for isForced in [false, true] {
            let message = refusal { _ = try tool.remove("Incident", isForced: isForced, isDry: false) }
            #expect(message.contains("\(path):2: \(line)"), "\(message)")
        }
        #expect(files.snapshot == before)
    }

    @Test func `a feature that another refers to stays`() throws {
        _ = try tool.add(.incident, isDry: false)
        _ = try tool.add(
            AddFeature.Request(name: "Review", fields: "incident:reference(Incident)", policy: .remote), isDry: false)

        let message = refusal { _ = try tool.remove("Incident", isForced: false, isDry: false) }

        #expect(
            message.contains("Modules/Features/Reviews/Domain/Review.swift:1: package import IncidentsDomain"),
            "\(message)")
        #expect(message.contains("Package.swift:"), "\(message)")
        _ = try tool.remove("Review", isForced: false, isDry: false)
        _ = try tool.remove("Incident", isForced: false, isDry: false)
    }

    @Test(arguments: [
        ("Nothing", "There is no feature 'Nothing'"), ("Runbooks", "was not made by Scripts/new-feature"),
        ("../../etc/passwd", "There is no feature"), ("$(touch x)", "There is no feature"), ("", "There is no feature"),
    ])
    func `what was not made here is not removed`(name: String, reason: String) throws {
        _ = try tool.add(.checklist, isDry: false)
        let message = refusal { _ = try tool.remove(name, isForced: true, isDry: false) }

        #expect(message.contains(reason), "\(message)")
        #expect(message.contains("Made by Scripts/new-feature: Checklist."), "\(message)")
    }

    // MARK: Listing

    @Test func `features are listed with the answers they were made from`() throws {
        #expect(try tool.list().features.isEmpty)
        _ = try tool.add(.incident, isDry: false)
        _ = try tool.add(.checklist, isDry: false)

        let features = try tool.list().features

        #expect(features.map(\.name) == ["Checklist", "Incident"])
        #expect(features.map(\.policy) == ["cached", "offline"])
        #expect(features.last?.fields == AddFeature.Request.incident.fields)
    }

    @Test func `an edited file is listed, a missing one is a fault`() throws {
        _ = try tool.add(.incident, isDry: false)
        #expect(try tool.list().features.first?.differences == [])
        files.edit("Modules/Features/Incidents/README.md", "edited")
        let edited = try tool.list()
        #expect(edited.exitCode == .done)
        #expect(edited.features.first?.differences == ["Modules/Features/Incidents/README.md: edited"])
        files.discard("Modules/Features/Incidents/README.md")
        #expect(try tool.list().exitCode == .refused)
    }

    @Test func `a line that left its list is a fault`() throws {
        _ = try tool.add(.incident, isDry: false)
        let text = try #require(files.files["Apps/Backend/Features.swift"]?.text)
        files.edit("Apps/Backend/Features.swift", text.replacing("    IncidentsService()\n", with: ""))
        let report = try tool.list()
        #expect(report.exitCode == .refused)
        #expect(report.text.contains("the list 'features' lacks the line: IncidentsService()"), "\(report.text)")
    }

    @Test func `a line to which its owner gave values is listed as edited, and only --force removes it`() throws {
        _ = try tool.add(.incident, isDry: false)
        let text = try #require(files.files["Apps/Backend/Features.swift"]?.text)
        files.edit(
            "Apps/Backend/Features.swift", text.replacing("IncidentsService()", with: "IncidentsService(telling: mail)")
        )
        let difference = "Apps/Backend/Features.swift: edited in the list 'features': IncidentsService(telling: mail)"
        let report = try tool.list()
        #expect(report.exitCode == .done)
        #expect(report.features.first?.differences == [difference])

        #expect(refusal { _ = try tool.remove("Incident", isForced: false, isDry: false) }.contains(difference))
        _ = try tool.remove("Incident", isForced: true, isDry: false)
        #expect(files.files["Apps/Backend/Features.swift"]?.text?.contains("Incidents") == false)
        #expect(files.files[".scaffold/backups/Incident-1/lines.txt"]?.text == "\(difference)\n")
    }

    @Test func `lines of others that name the entity are shown with the import they need`() throws {
        _ = try tool.add(.incident, isDry: false)
        let text = try #require(files.files["Apps/Backend/Features.swift"]?.text)
        let use = "let kept: [any Any.Type] = [Incident.self]"
        files.edit("Apps/Backend/Features.swift", "import IncidentsDomain\n\(text)\n\(use)\nlet other = \"Incident\"\n")
        let message = refusal { _ = try tool.remove("Incident", isForced: true, isDry: false) }
        #expect(message.contains("Apps/Backend/Features.swift:1: import IncidentsDomain"), "\(message)")
        #expect(message.contains(use) && !message.contains("let other"), "\(message)")
    }

    @Test func `a record that was damaged is named`() throws {
        _ = try tool.add(.incident, isDry: false)
        files.edit(".scaffold/features/Incident.json", "{")

        #expect(refusal { _ = try tool.list() }.contains("'.scaffold/features/Incident.json' is no record"))
    }

    @Test func `a report is one JSON document`() throws {
        let json = try tool.add(.incident, isDry: true).json

        #expect(json.hasPrefix("{") && json.hasSuffix("}"))
        #expect(json.contains("\"exitCode\" : 0"))
        #expect(json.contains("\"path\" : \"Package.swift\""))
    }

    // MARK: - Looking

    private func changed(from before: [RelativePath: FileContents?]) -> Set<String> {
        let after = files.snapshot
        let paths = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] && (after[$0] ?? nil) != nil }
        return Set(paths.map(\.description))
    }
}
