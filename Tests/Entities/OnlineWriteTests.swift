import StrataDomain
import StrataTesting
import Testing

@testable import SpecimensDomain

@Suite struct `Taking back a write that went straight to the server` {
    private let server = FakeEntityRepository(.example("s-0"))
    private let noted = Shared<[OnlineWrite]>([])
    private let specimens: Specimens
    private let id = Specimen.ID("s-0")

    init() {
        var specimens = Specimens(server)
        specimens.noteWrite = { [noted] write in noted.change { $0.append(write) } }
        self.specimens = specimens
    }

    private func takeBackLast() async throws(DomainError) -> UndoneWrite {
        guard let last = noted.value.last else { throw .notFound("nothing was noted") }
        return try await specimens.takeBack(last, at: server)
    }

    @Test func `a new specimen is deleted again`() async throws {
        let made = try await specimens.create(.other)
        let undone = try await takeBackLast()
        #expect(undone == UndoneWrite(.create, "specimens", made.id.rawValue, outcome: .inverseSent))
        #expect(server.current.items == [.example("s-0")])
    }

    @Test(arguments: [Specimen.sample, .other, .least])
    func `an edited specimen has all its earlier values again`(before: Specimen) async throws {
        server.change { $0.items = [.example("s-0", before)] }
        _ = try await specimens.update(id) { $0 = before == .other ? .sample : .other }
        #expect(try await takeBackLast() == UndoneWrite(.patch, "specimens", "s-0", outcome: .inverseSent))
        #expect(server.current.items.map(\.content) == [before])
        #expect(server.current.items.map(\.version) == [5])
    }

    @Test func `a deleted specimen is made again under another id`() async throws {
        try await specimens.delete(id)
        guard case .createdAgain(let new) = try await takeBackLast().outcome else {
            Issue.record("It was not made again.")
            return
        }
        #expect(new != "s-0")
        #expect(server.current.items.map(\.content) == [.sample])
    }

    @Test func `what another user changed or deleted since stays as it is`() async throws {
        _ = try await specimens.update(id) { $0 = .other }
        let theirs = Stored<Specimen>.example("s-0", .least, version: 5)
        for items in [[theirs], []] {
            server.change { $0.items = items }
            let error = await #expect(throws: DomainError.self) { try await takeBackLast() }
            #expect(error?.kind == .conflict)
            #expect(error?.description.contains("'s-0' in specimens was changed after the last write") == true)
            #expect(server.current.items == items)
        }
    }

    @Test(arguments: [
        DomainError.conflict("Two lockers name it."), .forbidden("not yours"), .unavailable("no connection"),
    ])
    func `another refusal is told in the words of the server`(failure: DomainError) async throws {
        _ = try await specimens.create(.other)
        server.change { $0.failure = failure }
        await #expect(throws: failure) { try await takeBackLast() }
        #expect(server.current.items.count == 2)
    }

    @Test func `a write that fails or changes nothing is not noted`() async throws {
        _ = try await specimens.update(id) { $0 = .sample }
        server.change { $0.failure = .unavailable("no connection") }
        for call in [
            { _ = try await specimens.create(.other) }, { _ = try await specimens.update(id) { $0 = .other } },
            { try await specimens.delete(id) },
        ] { await #expect(throws: DomainError.self) { try await call() } }
        #expect(noted.value.isEmpty)
    }
}
