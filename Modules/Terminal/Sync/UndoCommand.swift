public import ArgumentParser
import StrataDomain
import StrataSystem

/// `undo`: takes back the last write of this machine.
public struct UndoCommand: ConsoleCommand {
    public static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Take back the last add, edit or removal of this profile on this machine.",
        discussion: """
            A write that was not sent yet is removed from the outbox. Of one that was sent, the inverse is sent, or queued while the \
            server cannot be reached. Of one that goes straight to the server, the inverse goes there at once. Nothing is done if the \
            row was changed since. What the server has deleted is made again under a new id. Imports are not undone, nor is a removal \
            that took other rows with it. A second undo finds nothing: it does not go back further.

            Files, accounts and 'request' do not count as writes here: after one of those the write before it is undone. The answer \
            names the row and what is undone.

            Example: \(ProgramName.current) undo
            """)

    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ sync: SyncTools, _ console: Console) async throws {
        guard let undo = sync.undo else {
            throw DomainError.notFound("No writes are noted here, so there is nothing to undo.")
        }
        let undone = try await undo.undo()
        if console.isJSON {
            let id: String? = if case .createdAgain(let id) = undone.outcome { id } else { nil }
            try console.jsonOfChange(
                [
                    "id": id ?? undone.entityId, "collection": undone.collection,
                    "undone": undone.operation.rawValue, "was_sent": undone.outcome != .removedFromOutbox,
                ] as JSONDocument)
        } else {
            try console.confirm(undone.entityId, undone.sentence)
        }
    }
}

extension UndoneWrite {
    /// Which write was undone, and what the server gets. It may be an older one than the user has in mind.
    var sentence: String {
        let state =
            switch operation {
            case .create: "it is removed again"
            case .patch: "it has its earlier values again"
            case .delete: "it is here again"
            }
        let what = "\(operation.phrase) in \(collection) is undone: \(state)"
        return switch outcome {
        case .removedFromOutbox: "\(what); the write was not sent"
        case .inverseQueued: "\(what); that is queued for the server"
        case .inverseSent: "\(what); the server has that"
        case .createdAgain(let id): "\(what), as \(id), a new entry, because the server had deleted it"
        }
    }
}
