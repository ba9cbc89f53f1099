package import ArgumentParser
package import AttachmentsDomain
package import StrataDomain
package import StrataTerminal

/// `attachments list ENTRY`.
extension Attachment: ListedResource {
    package typealias Tools = Attachments<Parent>
    package static var listing: String { "List the files of \(AttachmentNames<Parent>.aParent), oldest first." }
    package static var exampleScope: String { "9f2c41d" }
    package static var columns: [ListColumn<Attachment>] {
        [
            .init(.init("FILE", isFlexible: true)) { .init($0.fileName.text, .bold) },
            .init(.init("TYPE", isFlexible: true)) { .init($0.mediaType) },
            .init(.init("BYTES", isRightAligned: true)) { .init("\($0.size)") },
            .init(.time("ADDED")) { .init($0.createdAt) },
        ]
    }
    package var owner: String? { parentId.rawValue }

    package static func empty(_ scope: ParentArgument<Parent>) -> String {
        "No files; 'shiftlog \(path) add \(scope.parent) FILE' adds one."
    }

    package static func list(
        _ attachments: Attachments<Parent>, in scope: ParentArgument<Parent>, _ options: GlobalOptions, upTo limit: Int
    ) async throws -> (items: [Attachment<Parent>], total: Int?) {
        try options.refuseOffline()
        let parent = try await attachments.completed(scope.parent)
        return (try await attachments.list(parent, limit: limit < .max ? limit + 1 : nil), nil)
    }
}

/// The entity that files belong to.
package struct ParentArgument<Parent: Entity>: ParsableArguments, Sendable {
    @Argument(
        help: ArgumentHelp("From '\(Parent.commandName) list'.", valueName: AttachmentNames<Parent>.word),
        completion: .ids(of: Parent.collection))
    package var parent: Identifier<Parent>

    package init() {}
}
