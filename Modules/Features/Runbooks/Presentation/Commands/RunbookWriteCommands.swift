package import ArgumentParser
package import RunbooksDomain
import StrataDomain
package import StrataTerminal

/// `runbooks create --title T --file F [--tag t]…`.
package struct RunbookCreateCommand: RunbooksCommand {
    package static let configuration = CommandConfiguration(commandName: "create", abstract: "Add a runbook.")

    @Option(help: "One line of at most 200 bytes.")
    package var title: String
    @Option(help: ArgumentHelp("The text, in Markdown; - for standard input.", valueName: "path"))
    package var file: String
    @Option(help: "A tag of a-z, 0-9 and '-'; may be repeated.")
    package var tag: [String] = []
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ runbooks: Runbooks, _ console: Console) async throws {
        let body = try await console.text(of: file, limit: bodyLimit)
        let runbook = try await runbooks.write(RunbookDraft(title: title, body: body, tags: tag))
        try console.confirm(runbook, "created")
    }
}

/// `runbooks edit ID --file F [--title T] [--tag t]…`.
package struct RunbookEditCommand: RunbooksCommand {
    package static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change a runbook as it was last shown here.",
        discussion: """
            What is not given stays as it is; tags replace those that were there. When somebody else changed the \
            runbook since it was shown here, nothing is changed and the exit code is 65: show it again with --refresh, \
            then repeat the edit.
            """)

    @Argument(help: "From 'runbooks list'.")
    package var id: Runbook.ID
    @Option(help: ArgumentHelp("The text, in Markdown; - for standard input.", valueName: "path"))
    package var file: String?
    @Option(help: "One line of at most 200 bytes.")
    package var title: String?
    @Option(help: "A tag of a-z, 0-9 and '-'; may be repeated.")
    package var tag: [String] = []
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func validate() throws {
        if file == nil, title == nil, tag.isEmpty {
            throw ValidationError("Nothing to change: give --file, --title or --tag.")
        }
    }

    package func run(_ runbooks: Runbooks, _ console: Console) async throws {
        var edit = RunbookEdit(title: title, tags: tag.isEmpty ? nil : tag)
        if let file { edit.body = try await console.text(of: file, limit: bodyLimit) }
        try console.confirm(try await runbooks.revise(id, edit), "updated")
    }
}

/// `runbooks rm ID`.
package struct RunbookRemoveCommand: RunbooksCommand {
    package static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete a runbook as it was last shown here.")

    @Argument(help: "From 'runbooks list'.")
    package var id: Runbook.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ runbooks: Runbooks, _ console: Console) async throws {
        try await runbooks.retire(id)
        try console.confirm(id.rawValue, "deleted")
    }
}

/// Bytes of a body that are read at most; `RunbookDraft` has the same limit.
private let bodyLimit = 262_144

extension Console {
    fileprivate func confirm(_ runbook: Runbook, _ result: String) throws {
        if isJSON { return try json(RunbookView(runbook)) }
        try confirm(runbook.id.rawValue, "\(result), version \(runbook.version)")
    }
}
