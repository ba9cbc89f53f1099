import Foundation
import Testing

@testable import ScaffoldKit

@Suite(.serialized) struct TemplateUpdateTests {
    /// A template at its second version, and a service of the first.
    private func withUpdate(
        edit: (String) throws -> Void = { _ in }, body: (SmallTemplate, String) throws -> Void
    ) throws {
        try withFolder { _, folder in
            let template = try SmallTemplate(in: folder)
            let service = try template.makeService(in: folder)
            try edit(service)
            try SmallTemplate.commit("edits", in: service)
            let lines = (1...30).map { $0 == 3 ? "line 3 of the template\n" : "line \($0)\n" }
            try template.write(lines.joined(), to: "Apps/CLI/Main.swift")
            try template.write("shiftlog again\n", to: "Docs/Packaging/shiftlog.txt")
            try template.write("new\n", to: "Docs/Packaging/new.txt")
            try template.remove("Docs/Packaging/old.txt")
            try template.commit("v2")
            try body(template, service)
        }
    }

    private func write(_ text: String, _ path: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }

    private func update(_ template: SmallTemplate, _ service: String) throws -> TemplateUpdate {
        let update = try ServiceRepository(service).update(from: template.root, to: nil)
        try PlanRunner(LocalFileSystem(root: service)).apply(update.plan)
        return update
    }

    @Test func `files that nobody edited follow the template, and a second update finds nothing to do`() throws {
        try withUpdate { template, service in
            let done = try update(template, service)
            #expect(
                done.lines == [
                    .init("Apps/CLI/Main.swift", "update"), .init("Docs/Packaging/new.txt", "create"),
                    .init("Docs/Packaging/old.txt", "delete"), .init("Docs/Packaging/orders.txt", "update"),
                    // Those of the copy of Strata, which 'Scripts/strata page' prints.
                    .init("Strata/Docs/Packaging/new.txt", "create"), .init("Strata/Docs/Packaging/old.txt", "delete"),
                    .init("Strata/Docs/Packaging/shiftlog.txt", "update"),
                ])
            let files = try snapshot(service)
            #expect(files["Docs/Packaging/orders.txt"] == Data("orders again\n".utf8))
            #expect(files["Docs/Packaging/old.txt"] == nil)

            try SmallTemplate.commit("updated", in: service)
            let again = try ServiceRepository(service).update(from: template.root, to: nil)
            #expect(again.plan.isEmpty)
            #expect(again.lines.isEmpty)
        }
    }

    @Test func `a link to a checkout is replaced by a URL`() throws {
        try withFolder { _, folder in
            let template = try SmallTemplate(in: folder)
            let service = try template.makeService(in: folder, strata: .path(template.root))
            let url = try RepositoryURL("https://git.example.com/clay.git")
            let repository = try ServiceRepository(service)
            let update = try repository.update(from: template.root, to: nil, fetching: url)
            #expect(update.lines == [.init("Package.swift", "update")])
            try repository.apply(update)

            let manifest = String(decoding: try #require(try snapshot(service)["Package.swift"]), as: UTF8.self)
            #expect(manifest.contains("url: \"https://git.example.com/clay.git\""))
            #expect(!manifest.contains("path: \"Strata\""))
            #expect(try LocalFileSystem(root: service).kind(of: "Strata") == nil)
            try SmallTemplate.commit("switched", in: service)
            let again = try ServiceRepository(service).update(from: template.root, to: nil)
            #expect(again.plan.isEmpty)
        }
    }

    @Test func `a service from when each had the container file keeps it`() throws {
        try withFolder { _, folder in
            let template = try SmallTemplate(in: folder)
            let file = "Docs/Packaging/Containerfile"
            try template.write("USER 1\n", to: file)
            try template.commit("image")
            let service = try template.makeService(in: folder, extras: [.container])
            let place = "\(service)/\(TemplateRecord.path)"
            let record = try String(contentsOfFile: place, encoding: .utf8)
            try record.replacing(/"extras" : \[[^\]]*\],\s*/, with: "").write(
                toFile: place, atomically: true, encoding: .utf8)
            try SmallTemplate.commit("as it was once", in: service)
            #expect(try ServiceRepository(service).record.answers.extras.isEmpty)

            try template.write("USER 2\n", to: file)
            try template.commit("another user")
            let repository = try ServiceRepository(service)
            let update = try repository.update(from: template.root, to: nil)
            #expect(update.lines.filter { $0.path.hasPrefix("Docs/") } == [.init(file, "update")])
            try repository.apply(update)
            try SmallTemplate.commit("updated", in: service)
            #expect(try ServiceRepository(service).record.answers.extras == [.container])
        }
    }

    @Test func `an extra that the service began without is added, and stays`() throws {
        try withFolder { _, folder in
            let template = try SmallTemplate(in: folder)
            try template.write("name: shiftlog\n", to: "Scripts/Scaffold/Extras/Compose/compose.yaml")
            try template.commit("compose")
            let service = try template.makeService(in: folder)
            #expect(try snapshot(service)["compose.yaml"] == nil)
            let repository = try ServiceRepository(service)
            let update = try repository.update(from: template.root, to: nil, adding: [.compose])
            #expect(update.lines == [.init("compose.yaml", "create")])
            try repository.apply(update)

            #expect(try snapshot(service)["compose.yaml"] == Data("name: orders\n".utf8))
            try SmallTemplate.commit("with containers", in: service)
            let again = try ServiceRepository(service)
            #expect(again.record.answers.extras == [.compose])
            #expect(try again.update(from: template.root, to: nil).plan.isEmpty)
        }
    }

    @Test func `a service with a copy of Strata has no URL to switch to`() throws {
        try withUpdate { template, service in
            let url = try RepositoryURL("https://git.example.com/clay.git")
            let message = refusal {
                _ = try ServiceRepository(service).update(from: template.root, to: nil, fetching: url)
            }
            #expect(message.contains("leave out --from"))
        }
    }

    @Test func `a change and its path are two words`() {
        let changes = ["edit", "conflict"].map { Report.Change(action: $0, path: "Apps/Main.swift") }
        #expect(
            Report(.done, "Done.", changes: changes).text == "edit    Apps/Main.swift\nconflict Apps/Main.swift\nDone.")
    }

    @Test func `what only the service changed stays`() throws {
        try withUpdate(edit: { try write("my notes\n", "\($0)/Docs/Packaging/notes.txt") }) { template, service in
            let done = try update(template, service)
            #expect(done.conflicts.isEmpty)
            #expect(try snapshot(service)["Docs/Packaging/notes.txt"] == Data("my notes\n".utf8))
        }
    }

    @Test func `what both changed in other places is merged`() throws {
        let edited = (1...30).map { $0 == 25 ? "line 25 of mine\n" : "line \($0)\n" }.joined()
        try withUpdate(edit: { try write(edited, "\($0)/Apps/CLI/Main.swift") }) { template, service in
            let done = try update(template, service)
            #expect(done.lines.contains(.init("Apps/CLI/Main.swift", "merge")))
            let text = String(decoding: try #require(try snapshot(service)["Apps/CLI/Main.swift"]), as: UTF8.self)
            #expect(text.contains("line 3 of the template\n") && text.contains("line 25 of mine\n"))
        }
    }

    @Test func `a list that both changed has the lines of both, and what follows it is the template's`() throws {
        func list(_ imports: [String], _ rows: [String], _ rest: String) -> String {
            (["// scaffold:begin imports"] + imports.map { "import \($0)" } + ["", "// scaffold:end imports"]
                + ["let all = [", "    // scaffold:begin features"] + rows.map { "    \($0)" }
                + ["    // scaffold:end features", "    \(rest)", "]", ""]).joined(separator: "\n")
        }
        let path = "Apps/CLI/Features/CommandSet+All.swift"
        try withFolder { _, folder in
            let template = try SmallTemplate(in: folder)
            try template.write(list(["StrataTerminal"], [".accounts,"], "Old(),"), to: path)
            try template.commit("lists")
            let service = try template.makeService(in: folder)
            let row = ".offline(TasksGroup.self, Task.self),"
            try write(
                list(["StrataTerminal", "TasksDomain"], [".accounts,", row], "Old(),"), "\(service)/\(path)")
            try SmallTemplate.commit("a feature", in: service)
            try template.write(list(["StrataClientProgram"], [".accounts,"], ".sync,"), to: path)
            try template.commit("v2")

            #expect(try update(template, service).lines == [.init(path, "merge")])
            let text = String(decoding: try #require(try snapshot(service)[path]), as: UTF8.self)
            #expect(text == list(["StrataClientProgram", "TasksDomain"], [".accounts,", row], ".sync,"))
        }
    }

    @Test func `what both changed in one place is marked as git marks it, listed, and in the way of the next update`()
        throws
    {
        try withUpdate(edit: { try write("mine\n", "\($0)/Docs/Packaging/orders.txt") }) { template, service in
            let done = try update(template, service)
            #expect(done.conflicts.map(\.path) == ["Docs/Packaging/orders.txt"])
            #expect(
                try snapshot(service)["Docs/Packaging/orders.txt"]
                    == Data("<<<<<<< here\nmine\n=======\norders again\n>>>>>>> template now\n".utf8))
            try SmallTemplate.commit("marks and all", in: service)
            let error = #expect(throws: ScaffoldRefusal.self) { try ServiceRepository(service) }
            #expect(error?.description.contains("Docs/Packaging/orders.txt") == true)
        }
    }

    @Test func `what one side deleted and the other changed is listed, and the service's version stays`() throws {
        let edit: (String) throws -> Void = { service in
            try write("still needed\n", "\(service)/Docs/Packaging/old.txt")
            try FileManager.default.removeItem(atPath: "\(service)/Docs/Packaging/orders.txt")
        }
        try withUpdate(edit: edit) { template, service in
            let done = try update(template, service)
            #expect(
                done.conflicts == [
                    .init("Docs/Packaging/old.txt", "conflict", "was changed here, and deleted by the template"),
                    .init("Docs/Packaging/orders.txt", "conflict", "was deleted here, and changed by the template"),
                ])
            let files = try snapshot(service)
            #expect(files["Docs/Packaging/old.txt"] == Data("still needed\n".utf8))
            #expect(files["Docs/Packaging/orders.txt"] == nil)
        }
    }

    @Test func `each conflict has a next step, whose command shows the version that is in no file`() throws {
        let edit: (String) throws -> Void = { service in
            try write("still needed\n", "\(service)/Docs/Packaging/old.txt")
            try write("my line\n" + (2...30).map { "line \($0)\n" }.joined(), "\(service)/Apps/CLI/Main.swift")
            try FileManager.default.removeItem(atPath: "\(service)/Docs/Packaging/orders.txt")
        }
        try withUpdate(edit: edit) { template, service in
            try template.write("its line\n" + (2...30).map { "line \($0)\n" }.joined(), to: "Apps/CLI/Main.swift")
            try template.commit("v3")
            let repository = try ServiceRepository(service)
            let update = try repository.update(from: template.root, to: nil)
            let advice = try repository.advice(on: update, missing: [])
            try repository.apply(update)

            let (main, old, mine) = ("Apps/CLI/Main.swift", "Docs/Packaging/old.txt", "Docs/Packaging/orders.txt")
            #expect(advice.map { String($0.prefix { $0 != ":" }) }.prefix(3) == [main, old, mine])
            #expect(advice.count == 4 && advice[3].contains("Guides/FromTemplateToProduction.md"))
            #expect(advice[0] == "\(main): keep what is right between '<<<<<<< here' and '>>>>>>> template now'.")
            let made = try #require(advice[1].firstMatch(of: /git diff ([0-9a-f]{12})/)).1
            #expect(try Git(service)(["diff", String(made), old]).text.hasSuffix("-old\n+still needed\n"))
            let new = try #require(advice[2].firstMatch(of: /git show ([0-9a-f]{12})/)).1
            #expect(try Git(service)(["show", String(new)]).text == "orders again\n")
        }
    }

    @Test func `a file that the update deletes is missed by a file of the owner that names it`() throws {
        let edit: (String) throws -> Void = { service in
            try write("cat ../Packaging/old.txt\n", "\(service)/Docs/deploy")
            // What the template wrote there names it, too, and is the template's to change.
            try write("see Packaging/old.txt\n", "\(service)/Docs/Packaging/orders.txt")
        }
        try withUpdate(edit: edit) { template, service in
            try template.write("see Packaging/old.txt\n", to: "Docs/Packaging/shiftlog.txt")
            try template.commit("v3")
            let repository = try ServiceRepository(service)
            let update = try repository.update(from: template.root, to: nil)
            let missed = try repository.missed(by: update)
            #expect(missed.map(\.path) == ["Docs/Packaging/old.txt"])
            #expect(missed.map(\.names) == [["Docs/deploy"]])
            let advice = try repository.advice(on: update, missing: missed.map(\.path))
            #expect(advice == ["Docs/Packaging/old.txt: 'git checkout HEAD -- Docs/Packaging/old.txt' brings it back."])
        }
    }

    @Test func `a service that links to a checkout without the commit is refused, and names both ways out`() throws {
        try withFolder { _, folder in
            let template = try SmallTemplate(in: folder)
            let linked = "\(folder)/linked"
            _ = try Git(folder).lines(["clone", "--quiet", template.root, linked])
            let service = try template.makeService(in: folder, strata: .path(linked))
            try template.write("shiftlog again\n", to: "Docs/Packaging/shiftlog.txt")
            try template.commit("v2")
            let before = try snapshot(service)
            let message = refusal { _ = try ServiceRepository(service).update(from: template.root, to: nil) }
            #expect(message.contains("'\(linked)'") && message.contains("ln -sfn") && message.contains("--from"))
            #expect(try snapshot(service) == before)

            _ = try Git(linked).lines(["pull", "--quiet"])
            #expect(
                try update(template, service).lines == [.init("Docs/Packaging/orders.txt", "update")])
        }
    }

    @Test func `a link that its owner set elsewhere stays, and is recorded`() throws {
        try withFolder { _, folder in
            let template = try SmallTemplate(in: folder)
            let service = try template.makeService(in: folder, strata: .path("\(folder)/gone"))
            let message = refusal { _ = try ServiceRepository(service).update(from: template.root, to: nil) }
            #expect(message.contains("gone") && message.contains("not there"))

            try FileManager.default.removeItem(atPath: "\(service)/Strata")
            try link(template.root, at: "\(service)/Strata")
            try SmallTemplate.commit("moved", in: service)
            #expect(try update(template, service).lines.isEmpty)
            try SmallTemplate.commit("updated", in: service)
            #expect(try ServiceRepository(service).record.answers.strata == .path(template.root))
        }
    }

    @Test func `changes that are in no commit, and a folder that is no service, are refused`() throws {
        try withUpdate { template, service in
            try write("half\n", "\(service)/Docs/Packaging/notes.txt")
            let before = try snapshot(service)
            let error = #expect(throws: ScaffoldRefusal.self) { try ServiceRepository(service) }
            #expect(error?.description.contains("Docs/Packaging/notes.txt") == true)
            #expect(try snapshot(service) == before)
            #expect(throws: ScaffoldRefusal.self) { try ServiceRepository(template.root) }
        }
    }

    @Test func `a commit that the template does not have is refused`() throws {
        try withUpdate { template, service in
            for commit in ["0123456789abcdef0123456789abcdef01234567", "--all", "", "$(id)", "HEAD~99"] {
                #expect(throws: ScaffoldRefusal.self) {
                    try ServiceRepository(service).update(from: template.root, to: commit)
                }
            }
        }
    }

    @Test
    func `files that another version of the tool made are found in the service's history, proven by their digests`()
        throws
    {
        try withFolder { _, folder in
            let template = try SmallTemplate(in: folder)
            // Not committed in the template: no commit makes this file again.
            try template.write("uncommitted\n", to: "Docs/Packaging/notes.txt")
            let service = try template.makeService(in: folder)
            try template.write("third\n", to: "Docs/Packaging/notes.txt")
            try template.commit("v2")
            _ = try update(template, service)
            #expect(try snapshot(service)["Docs/Packaging/notes.txt"] == Data("third\n".utf8))
        }
    }
}
