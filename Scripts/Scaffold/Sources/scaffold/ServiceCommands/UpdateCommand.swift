import ArgumentParser
import FoundationEssentials
import ScaffoldKit

/// `update-from-template`: brings what changed here into a service that was made here.
struct UpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update-from-template", abstract: "Bring what changed in Strata into a service made from it.",
        usage: "update-from-template --service DIR [--to COMMIT] [--dry-run] [--json]",
        discussion: "Exit codes: 0 done, 1 refused, 2 usage, 3 conflicts, or a dry run that would change something.")

    @Option(help: ArgumentHelp("The service.", valueName: "folder")) var service: String
    @Option(help: "The commit of Strata to go to. Default: the one that is checked out.") var to: String?
    @Flag(help: "Say what would change, and change nothing.") var dryRun = false
    @Flag(help: "Print one JSON document.") var json = false
    @Option(help: .hidden) var root: String

    func run() throws {
        let folder = service.hasPrefix("/") ? service : FileManager.default.currentDirectoryPath + "/" + service
        let repository = try ServiceRepository(folder)
        let update = try repository.update(from: root, to: to)
        if !dryRun { try PlanRunner(LocalFileSystem(root: folder)).apply(update.plan) }
        try report(update)
        if !update.conflicts.isEmpty || (dryRun && !update.plan.isEmpty) { throw ArgumentParser.ExitCode(3) }
    }

    private func report(_ update: TemplateUpdate) throws {
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            encoder.keyEncodingStrategy = .convertToSnakeCase
            let document = Document(
                isDryRun: dryRun, conflicts: update.conflicts.count,
                files: update.lines.map { Document.File(path: $0.path, verb: $0.verb, reason: $0.reason) })
            print(String(decoding: try encoder.encode(document), as: UTF8.self))
            return
        }
        for line in update.lines where line.verb != "conflict" { print("\(line.verb) \(line.path)") }
        for line in update.conflicts { print("conflict \(line.path): \(line.reason ?? "")") }
        if update.plan.isEmpty && update.conflicts.isEmpty {
            return print("Nothing to do: the service has what the template has.")
        }
        let count = update.lines.count - update.conflicts.count
        print("\(dryRun ? "Would change" : "Changed") \(count) files; \(update.conflicts.count) in conflict.")
        guard !dryRun else { return }
        print("Look with 'git diff', run Scripts/test, commit. Undo: git checkout -- . && git clean -d --force")
    }

    private struct Document: Encodable {
        struct File: Encodable {
            let path: String
            let verb: String
            let reason: String?
        }

        let isDryRun: Bool
        let conflicts: Int
        let files: [File]
    }
}
