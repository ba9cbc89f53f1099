import Foundation
import StrataDomain

struct Note: Entity {
    static let noun = "note"
    static let collection = "notes"
    static let fields: [EntityField<Note>] = [.init("text", \.text, .lines(1...100))]
    var text: String
}

/// A list without notes.
struct NoNotes: EntityRepository {
    func list(_ query: EntityQuery<Note>, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<[Stored<Note>]> {
        Snapshot([], .server)
    }
    func get(_ id: Identifier<Note>, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<Stored<Note>> {
        throw .notFound("There is no note '\(id)'.")
    }
    func editBase(_ id: Identifier<Note>) async throws(DomainError) -> Stored<Note> {
        throw .notFound("There is no note '\(id)'.")
    }
    func create(_ content: Note) async throws(DomainError) -> Stored<Note> {
        Stored(id: Note.ID("n-1"), content, version: 1, updatedAt: Date())
    }
    func update(
        _ id: Identifier<Note>, to content: Note, basedOn version: Int
    ) async throws(DomainError) -> Stored<Note> {
        throw .notFound("There is no note '\(id)'.")
    }
    func delete(_ id: Identifier<Note>, basedOn version: Int) async throws(DomainError) {
        throw .notFound("There is no note '\(id)'.")
    }
    func changes(of query: EntityQuery<Note>) -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}
