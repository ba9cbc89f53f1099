package import ArgumentParser
import FoundationEssentials
package import RunbooksDomain
import StrataDomain
package import StrataTerminal

/// `runbooks list [--refresh]`.
package struct RunbookListCommand: RunbooksCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List runbooks, also without a network.",
        discussion: "Example: shiftlog runbooks list --refresh")

    @OptionGroup var refresh: RefreshOption
    @OptionGroup package var limit: ListLimit
    @OptionGroup package var options: GlobalOptions

    package init() {}
    package func validate() throws { try refresh.check(options) }

    package func run(_ runbooks: Runbooks, _ console: Console) async throws {
        let model = await RunbookListModel(runbooks)
        await model.load(refresh.policy(options))
        guard let origin = await model.origin else { throw await model.error ?? DomainError.cancelled }
        if let note = origin.note(at: console.clock.now) { console.note(note) }
        let all = await model.items
        let items = all.prefix(limit.rows(console))
        defer { console.noteCut(shown: items.count, of: all.count) }
        if console.isJSON { return try console.json(items.map(RunbookView.init)) }
        var table = Table([
            .id("ID"), .init("TITLE", isFlexible: true), .init("TAGS", isFlexible: true),
            .init("VERSION", isRightAligned: true), .time("UPDATED"),
        ])
        for runbook in items {
            table.add([
                .init(runbook.id.rawValue), .init(runbook.title, .bold), .init(runbook.tags.joined(separator: " ")),
                .init("\(runbook.version)"), .init(runbook.updatedAt),
            ])
        }
        console.table(table, empty: "There are no runbooks yet; 'shiftlog runbooks create' adds one.")
    }
}
