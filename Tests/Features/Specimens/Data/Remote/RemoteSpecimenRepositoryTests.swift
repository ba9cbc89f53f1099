import SpecimensAPI
import SpecimensData
import SpecimensDomain
import StrataDomain
import StrataTesting
import Testing

@Suite struct `Specimens from the server` {
    private let client = MockAPIClient()
    private let id = Specimen.ID("s-1")
    private var repository: RemoteSpecimenRepository {
        RemoteSpecimenRepository(client: client, clock: ManualWallClock())
    }

    @Test func `all pages are walked in order`() async throws {
        client.on(ListSpecimens.self) { call, _ in
            let number = call.cursor.flatMap { Int($0) } ?? 0
            return CursorPage(items: [.example("s-\(number)")], nextCursor: number < 2 ? "\(number + 1)" : nil)
        }
        let list = try await repository.specimens(.cacheFirst)
        #expect(list.value.map(\.id.rawValue) == ["s-0", "s-1", "s-2"] && list.origin == .server)
    }

    @Test func `a write is named, and based on a version`() async throws {
        client.on(CreateSpecimen.self) { call, _ in .example("s-1", call.specimen) }
        client.on(UpdateSpecimen.self) { call, _ in .example(call.id.rawValue, call.specimen) }
        client.on(DeleteSpecimen.self) { _, _ in NoContent() }
        #expect(try await repository.add(.other).content == .other)
        #expect(try await repository.update(id, to: .other, basedOn: 3).content == .other)
        try await repository.remove(id, basedOn: 3)
        #expect(client.calls.allSatisfy { $0.options.idempotencyKey != nil })
        #expect(Set(client.calls.compactMap(\.options.idempotencyKey)).count == 3)
        #expect(client.calls(to: UpdateSpecimen.self).map(\.ifMatch) == [IfMatch(EntityTag(version: 3))])
        #expect(client.calls(to: DeleteSpecimen.self).map(\.ifMatch) == [IfMatch(EntityTag(version: 3))])
    }

    @Test func `a failure says what to do next`() async throws {
        client.fail(GetSpecimen.self, .notFound(nil))
        client.fail(CreateSpecimen.self, .offline("connection refused"))
        client.fail(UpdateSpecimen.self, .conflict(Problem(title: "Changed", status: 412, code: "version_mismatch")))
        client.fail(DeleteSpecimen.self, .connectionLost("reset by peer"))
        let calls: [(String, () async throws -> Void)] = [
            ("specimens list --refresh", { _ = try await repository.specimen(id, .refresh) }),
            ("Nothing was changed", { _ = try await repository.add(.sample) }),
            ("specimens show s-1 --refresh", { _ = try await repository.update(id, to: .other, basedOn: 3) }),
            ("specimens show s-1 --refresh", { try await repository.remove(id, basedOn: 3) }),
        ]
        for (words, call) in calls {
            let error = await #expect(throws: DomainError.self) { try await call() }
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        }
    }
}
