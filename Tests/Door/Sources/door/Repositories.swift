import Foundation
import StrataDomain

/// A list without notes.
struct NoNotes: EntityRepository {
    func list(_ query: EntityQuery<Note>, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<[Stored<Note>]> {
        Snapshot([], .server)
    }
    func reduce<Result: Sendable>(
        _ query: EntityQuery<Note>, _ policy: ReadPolicy, into initial: Result,
        _ update: @Sendable (inout Result, Stored<Note>) -> Void
    ) async throws(DomainError) -> Snapshot<Result> { Snapshot(initial, .server) }
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
    func cacheThenNetwork(
        _ query: EntityQuery<Note>
    ) -> AsyncThrowingStream<Snapshot<[Stored<Note>]>, any Error> { AsyncThrowingStream { $0.finish() } }
    func storedIDs(with part: String) async throws(DomainError) -> [Identifier<Note>] { [] }
    func ids(with part: String) async throws(DomainError) -> [Identifier<Note>] { [] }
    func changes(of query: EntityQuery<Note>) -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}
