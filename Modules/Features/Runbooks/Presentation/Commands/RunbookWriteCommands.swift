package import ArgumentParser
package import RunbooksDomain
import StrataDomain
package import StrataTerminal

/// `runbooks create --title T --file F [--tag t]…`.
package struct RunbookCreateCommand: RunbooksCommand {
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
        let body = try await console.text(of: file, limit: bodyLimit)
        let runbook = try await runbooks.create(RunbookDraft(title: title, body: body, tags: tag))
        try console.confirm(runbook, "created")
    }
}

/// `runbooks edit ID --file F [--title T] [--tag t]…`.
package struct RunbookEditCommand: RunbooksCommand {
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
        let id = try await runbooks.completed(id)
        var edit = RunbookEdit(title: title, tags: tag.isEmpty ? nil : tag)
        if let file { edit.body = try await console.text(of: file, limit: bodyLimit) }
        do {
            try console.confirm(try await runbooks.update(id, edit), "updated")
        } catch DomainError.conflict(let reason) {
            throw conflict(reason, id)
        }
    }
}

/// `runbooks rm ID`.
package struct RunbookRemoveCommand: RunbooksCommand {
    package static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Delete a runbook, if it is still the version last shown here.",
        discussion: "Example: shiftlog runbooks rm 9f2c41d")

    @Argument(help: "From 'runbooks list'.")
    package var id: Runbook.ID
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func run(_ runbooks: Runbooks, _ console: Console) async throws {
        let id = try await runbooks.completed(id)
        do { try await runbooks.delete(id) } catch DomainError.conflict(let reason) { throw conflict(reason, id) }
        try console.confirm(id.rawValue, "deleted")
    }
}

/// A conflict with its next step.
private func conflict(_ reason: String, _ id: Runbook.ID) -> DomainError {
    .conflict(
        "\(reason) Nothing was changed. 'shiftlog runbooks show \(id) --refresh' shows the newer text; then try again.")
}

/// Most bytes of a body; `RunbookDraft` has the same limit.
private let bodyLimit = 262_144

extension Runbooks {
    /// The id of the runbook that a prefix selects.
    func completed(_ id: Runbook.ID) async throws -> Runbook.ID {
        try await id.completed { _ in try await list(policy: .cacheFirst).value.map(\.id) }
    }
}

extension Console {
    fileprivate func confirm(_ runbook: Runbook, _ result: String) throws {
        if isJSON { return try json(RunbookView(runbook)) }
        try confirm(runbook.id.rawValue, "\(result), version \(runbook.version)")
    }
}
