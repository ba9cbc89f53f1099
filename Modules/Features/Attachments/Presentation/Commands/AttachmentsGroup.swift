package import ArgumentParser
package import AttachmentsDomain
package import StrataDomain
package import StrataTerminal

/// `attachments`, `shift-attachments`.
package struct AttachmentsGroup<Parent: Entity>: ParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: AttachmentNames<Parent>.path, abstract: "Manage files attached to \(Parent.plural).",
            subcommands: [
                AttachmentAddCommand<Parent>.self, ResourceListCommand<Attachment<Parent>>.self,
                AttachmentGetCommand<Parent>.self, ResourceExportCommand<Attachment<Parent>>.self,
            ])
    }

    package init() {}
}

/// A command about the attachments of one kind of entity.
package protocol AttachmentsCommand<Parent>: ConsoleCommand where Tools == Attachments<Parent> {
    /// What the files belong to.
    associatedtype Parent: Entity
}

extension GlobalOptions {
    /// - Throws: `.unavailable` with `--offline`, before anything is touched.
    func refuseOffline() throws(DomainError) {
        guard offline else { return }
        throw .unavailable("Attached files are kept at the server only; run the command again without --offline.")
    }
}

extension Attachments {
    /// The complete id of an entity that this machine knows.
    func completed(_ parent: Identifier<Parent>) async throws -> Identifier<Parent> {
        try await parent.completed { try await parents().ids(with: $0) }
    }

    /// The complete id of `ENTRY/FILE`, each shortened or complete. The server lists files by their entity only.
    func completed(_ id: Attachment<Parent>.ID) async throws -> Attachment<Parent>.ID {
        let parts = id.rawValue.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { return id }
        let parent = try await completed(Identifier<Parent>(parts[0]))
        return try await Attachment<Parent>.ID(parts[1]).completed { _ in try await list(parent).map(\.id) }
    }
}
