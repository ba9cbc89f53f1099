import StrataDomain
import StrataTesting
import Testing

@testable import SpecimensDomain

@Suite struct `Specimens from the server` {
    private let client = MockAPIClient()
    private let id = Specimen.ID("s-1")
    private var repository: RemoteEntityRepository<Specimen> {
        RemoteEntityRepository<Specimen>(client: client, command: "shiftlog specimens", clock: ManualWallClock())
    }

    @Test func `all pages are walked in order`() async throws {
        client.on(ListEntities<Specimen>.self) { call, _ in
            let number = call.cursor.flatMap { Int($0) } ?? 0
            return CursorPage(items: [.example("s-\(number)")], nextCursor: number < 2 ? "\(number + 1)" : nil)
        }
        let list = try await repository.list(.cacheFirst)
        #expect(list.value.map(\.id.rawValue) == ["s-0", "s-1", "s-2"] && list.origin == .server)
    }

    @Test func `a write is named, and based on a version`() async throws {
        client.on(CreateEntity<Specimen>.self) { call, _ in .example("s-1", try Specimen(fields: call.draft.fields)) }
        client.on(UpdateEntity<Specimen>.self) { call, _ in .example(call.id.rawValue, call.content) }
        client.on(DeleteEntity<Specimen>.self) { _, _ in NoContent() }
        #expect(try await repository.create(.other).content == .other)
        #expect(try await repository.update(id, to: .other, basedOn: 3).content == .other)
        try await repository.delete(id, basedOn: 3)
        #expect(client.calls.allSatisfy { $0.options.idempotencyKey != nil })
        #expect(Set(client.calls.compactMap(\.options.idempotencyKey)).count == 3)
        #expect(client.calls(to: UpdateEntity<Specimen>.self).map(\.ifMatch) == [IfMatch(EntityTag(version: 3))])
        #expect(client.calls(to: DeleteEntity<Specimen>.self).map(\.ifMatch) == [IfMatch(EntityTag(version: 3))])
    }

    @Test func `a failure says what to do next`() async throws {
        client.fail(GetEntity<Specimen>.self, .notFound(nil))
        client.fail(ListEntities<Specimen>.self, .unauthorized(nil))
        client.fail(CreateEntity<Specimen>.self, .offline("connection refused"))
        client.fail(
            UpdateEntity<Specimen>.self, .conflict(Problem(title: "Changed", status: 412, code: "version_mismatch")))
        client.fail(DeleteEntity<Specimen>.self, .connectionLost("reset by peer"))
        let calls: [(String, () async throws -> Void)] = [
            ("specimens list --refresh", { _ = try await repository.get(id, .refresh) }),
            ("run 'shiftlog login'", { _ = try await repository.list(.cacheFirst) }),
            ("Nothing was changed", { _ = try await repository.create(.sample) }),
            ("specimens show s-1 --refresh", { _ = try await repository.update(id, to: .other, basedOn: 3) }),
            ("specimens show s-1 --refresh", { try await repository.delete(id, basedOn: 3) }),
        ]
        for (words, call) in calls {
            let error = await #expect(throws: DomainError.self) { try await call() }
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }
    }
}
