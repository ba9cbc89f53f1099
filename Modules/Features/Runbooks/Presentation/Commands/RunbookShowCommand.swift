package import ArgumentParser
import FoundationEssentials
package import RunbooksDomain
import StrataDomain
package import StrataTerminal

/// `runbooks show ID [--refresh]`.
package struct RunbookShowCommand: RunbooksCommand {
    package static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a runbook, also without a network.",
        discussion: "Example: shiftlog runbooks show 9f2c41d")

    @Argument(help: "From 'runbooks list'.")
    package var id: Runbook.ID
    @OptionGroup var refresh: RefreshOption
    @OptionGroup package var options: GlobalOptions

    package init() {}
    package func validate() throws { try refresh.check(options) }

    package func run(_ runbooks: Runbooks, _ console: Console) async throws {
        let snapshot = try await runbooks.get(runbooks.completed(id), policy: refresh.policy(options))
        if let note = snapshot.origin.note(at: console.clock.now) { console.note(note) }
        let runbook = snapshot.value
        if console.isJSON { return try console.json(RunbookView(runbook)) }
        console.fields([
            ("id", runbook.id.rawValue), ("title", runbook.title),
            ("tags", runbook.tags.isEmpty ? "none" : runbook.tags.joined(separator: " ")),
            ("version", "\(runbook.version)"), ("updated", console.times.point(runbook.updatedAt)),
        ])
        console.out("")
        console.out(runbook.body.hasSuffix("\n") ? String(runbook.body.dropLast()) : runbook.body)
    }
}
