import ArgumentParser
import StrataDomain
import StrataSystem

/// The open conflict that a command is about, by its own id or by the id of the entity, which lists show.
struct ConflictChoice: ParsableArguments, Sendable {
    @Argument(
        help: "An id from 'conflicts list', or the id of the edited entity.", completion: .candidates(.conflicts))
    var id: String

    /// - Throws: `notFound` if no open conflict has the id; `validation` if the entity has several conflicts.
    func conflict(in inbox: any ConflictInbox) async throws -> SyncConflict {
        let open = try await inbox.conflicts()
        let id = try await IDCompletion.completed(id) { _ in open.flatMap { [$0.id, $0.entityId] } }
        if let conflict = open.first(where: { $0.id == id }) { return conflict }
        let ofEntity = open.filter { $0.entityId == id }
        guard let conflict = ofEntity.first else {
            throw DomainError.notFound(
                "No open conflict has the id '\(id)'; '\(ProgramName.current) conflicts list' shows the ids.")
        }
        guard ofEntity.count == 1 else {
            let ids = ofEntity.map(\.id).joined(separator: " and ")
            throw DomainError.validation("\(ofEntity.count) conflicts are about '\(id)'; name one of them: \(ids).")
        }
        return conflict
    }
}
