import Foundation
import StrataDomain
import StrataPresentation
import Testing

@testable import board

@MainActor struct BoardTests {
    private let server = Server()

    @Test func `the board shows the notes, an outage, and the notes again`() async {
        let model = EntityListModel(EntityUseCases(server))
        let board = Board(model)
        await model.load()
        #expect(board.lines == ["- water the plants"])

        server.isAway = true
        await model.load()
        #expect(board.lines == ["- water the plants", "The server is away."])

        server.isAway = false
        await model.load()
        #expect(board.lines == ["- water the plants"])
    }
}

/// One note at a server that may be away.
private final class Server: EntityRepository, @unchecked Sendable {
    typealias Content = Note

    // Sendable proof: the test uses it on the main actor, one step after the other.
    var isAway = false
    private let note = Stored(
        id: Identifier<Note>("1"), Note(text: "water the plants"), version: 1, updatedAt: Date(timeIntervalSince1970: 0)
    )

    func list(
        _ query: EntityQuery<Note>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Stored<Note>]> {
        if isAway { throw .unavailable("The server is away.") }
        return Snapshot([note], .server)
    }

    func get(_ id: Identifier<Note>, _ policy: ReadPolicy) async throws(DomainError) -> Snapshot<Stored<Note>> {
        Snapshot(note, .server)
    }

    func create(_ content: Note) async throws(DomainError) -> Stored<Note> { note }

    func update(
        _ id: Identifier<Note>, to content: Note, basedOn version: Int
    ) async throws(DomainError) -> Stored<Note> { note }

    func delete(_ id: Identifier<Note>, basedOn version: Int) async throws(DomainError) {}

    func changes(of query: EntityQuery<Note>) -> AsyncStream<Void> {
        AsyncStream { continuation in
            continuation.yield()
            continuation.finish()
        }
    }
}
