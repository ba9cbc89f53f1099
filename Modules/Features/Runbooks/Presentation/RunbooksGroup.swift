package import ArgumentParser
package import RunbooksDomain
package import StrataDomain
package import StrataTerminal

/// `runbooks`.
package struct RunbooksGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "runbooks", abstract: "Manage runbooks.", subcommands: RunbookView.commands)
    package init() {}
}

/// How runbooks look on the terminal.
package enum RunbookView: EntityView {
    package typealias Content = Runbook

    package static let addName = "create"

    package static func discussion(_ verb: EntityVerb) -> String? {
        guard verb == .edit else { return nil }
        return """
            Tags replace the old tags. If another user changed the runbook since it was shown here, nothing is changed and the exit \
            code is 65: show it again with --refresh, then repeat the edit.
            """
    }

    package static func table(_ items: [Stored<Runbook>]) -> Table {
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
