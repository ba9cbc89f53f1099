package import ArgumentParser
package import RunbooksDomain
package import StrataDomain
package import StrataTerminal

/// `runbooks create --title T --file F [--tag t]…`.
package struct RunbookCreateCommand: EntityCommand {
    package typealias Content = Runbook
    package static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create a runbook.",
        discussion: "Example: shiftlog runbooks create --title 'Disk full' --file disk-full.md --tag disk")

    @Option(help: "One line of at most 200 bytes.")
    package var title: String
    @Option(help: ArgumentHelp("The text, in Markdown; - for standard input.", valueName: "path"), completion: .file())
    package var file: String
    @Option(help: "A tag of a-z, 0-9 and '-'; may be repeated.")
    package var tag: [String] = []
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ runbooks: Runbooks, _ console: Console) async throws {
        let body = try await console.text(of: file, limit: Runbook.bodyLimit)
        try console.confirm(try await runbooks.create(Runbook(title: title, body: body, tags: tag)), "created")
    }
}

/// `runbooks edit ID --file F [--title T] [--tag t]…`.
package struct RunbookEditCommand: EntityCommand {
    package typealias Content = Runbook
    package static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Update a runbook, based on the version last shown here.",
        discussion: """
            Omitted options stay unchanged; tags replace the old tags. If another user changed the runbook since it was shown \
            here, nothing is changed and the exit code is 65: show it again with --refresh, then repeat the edit.

            Example: shiftlog runbooks edit 9f2c41d --file disk-full.md
            """)

    @Argument(help: "From 'runbooks list'.")
    package var id: Runbook.ID
    @Option(help: ArgumentHelp("The text, in Markdown; - for standard input.", valueName: "path"), completion: .file())
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
        var body: String?
        if let file { body = try await console.text(of: file, limit: Runbook.bodyLimit) }
        let edited = try await runbooks.update(completed(id, runbooks)) { [body] runbook throws(DomainError) in
            runbook.title = title ?? runbook.title
            runbook.body = body ?? runbook.body
            runbook.tags = tag.isEmpty ? runbook.tags : tag
        }
        try console.confirm(edited, "updated")
    }
}

/// `runbooks rm ID`.
package struct RunbookRemoveCommand: EntityCommand {
    package typealias Content = Runbook
    package static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete a runbook, if it is still the version last shown here.",
        discussion: "Example: shiftlog runbooks rm 9f2c41d")

    @Argument(help: "From 'runbooks list'.")
    package var id: Runbook.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ runbooks: Runbooks, _ console: Console) async throws {
        let id = try await completed(id, runbooks)
        try await runbooks.delete(id)
        try console.confirm(id.rawValue, "deleted")
    }
}
