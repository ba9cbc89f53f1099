package import ArgumentParser
package import RunbooksDomain
package import StrataDomain
package import StrataTerminal

/// `runbooks list [--search TEXT] [--tag TAG] [--sort -title] [--limit N] [--refresh]`.
package struct RunbookListCommand: EntityCommand {
    package typealias Content = Runbook
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List runbooks by title, also without a network.",
        discussion: "Example: shiftlog runbooks list --tag disk --search 'no space'")

    @OptionGroup package var list: EntityListOptions<Runbook>
    @OptionGroup var reading: ReadingOption
    @OptionGroup package var options: GlobalOptions

    package init() {}
    package func validate() throws { try reading.check(options) }
    package var timeLimit: Duration? { list.timeLimit(options) }

    package func run(_ runbooks: Runbooks, _ console: Console) async throws {
        let query = list.query(console)
        let empty =
            query.isBeginning ? "There are no runbooks yet; 'shiftlog runbooks create' adds one." : list.noMatch
        let view = ListView<Stored<Runbook>>(rows: list.limit.rows(console), empty: empty, table: Self.table)
        if list.follow { try await console.follow(runbooks, query, view) }
        try console.list(
            try await runbooks.list(query, reading.policy(options)), view, isCut: query.limit != nil)
    }

    @Sendable private static func table(_ items: [Stored<Runbook>]) -> Table {
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
        return table
    }
}

/// `runbooks show ID [--refresh]`.
package struct RunbookShowCommand: EntityCommand {
    package typealias Content = Runbook
    package static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a runbook, also without a network.",
        discussion: "Example: shiftlog runbooks show 9f2c41d")

    @Argument(help: "From 'runbooks list'.")
    package var id: Runbook.ID
    @OptionGroup var reading: ReadingOption
    @OptionGroup package var options: GlobalOptions

    package init() {}
    package func validate() throws { try reading.check(options) }

    package func run(_ runbooks: Runbooks, _ console: Console) async throws {
        let snapshot = try await runbooks.get(completed(id, runbooks), reading.policy(options))
        if let note = snapshot.origin.note(at: console.clock.now) { console.note(note) }
        let runbook = snapshot.value
        try console.show(runbook) {
            console.fields([
                ("id", runbook.id.rawValue), ("title", runbook.title),
                ("tags", runbook.tags.isEmpty ? "none" : runbook.tags.joined(separator: " ")),
                ("version", "\(runbook.version)"), ("updated", console.times.point(runbook.updatedAt)),
            ])
            console.out("")
            console.out(runbook.body.hasSuffix("\n") ? String(runbook.body.dropLast()) : runbook.body)
        }
    }
}
