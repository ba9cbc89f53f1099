import SpecimensService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataTesting
import Testing

@testable import SpecimensDomain

@Suite struct `Specimens, client to backend and back` {
    @Test(arguments: [Specimen.sample, .other, .least])
    func `what is created comes back as it was sent, wherever it is read`(specimen: Specimen) async throws {
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            let answer = try await client.response(to: CreateEntity<Specimen>(specimen), options: CallOptions())
            #expect(answer.head.status == 201)
            #expect(answer.head.headers["ETag"] == "\"\(answer.value.version)\"")
            #expect(answer.value.content == specimen)
            #expect(try await client.send(GetEntity<Specimen>(id: answer.value.id)) == answer.value)
            #expect(try await client.send(ListEntities<Specimen>()).items == [answer.value])
        }
    }

    @Test func `a create that is repeated takes effect once`() async throws {
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            let options = CallOptions(idempotencyKey: "create-1")
            let first = try await client.send(CreateEntity<Specimen>(.sample), options: options)
            #expect(try await client.send(CreateEntity<Specimen>(.sample), options: options) == first)
            #expect(try await client.send(ListEntities<Specimen>()).items == [first])
        }
    }

    @Test func `an edit needs the version it is based on`() async throws {
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            let first = try await client.send(CreateEntity<Specimen>(.sample))
            let blind = UpdateEntity<Specimen>(id: first.id, ifMatch: nil, to: .other)
            #expect(await problem { try await client.send(blind) }?.status == 428)
            let call = UpdateEntity<Specimen>(id: first.id, ifMatch: first.entityTag, to: .other)
            let second = try await client.send(call)
            #expect(second.content == .other && second.version > first.version)
            let late = await problem { try await client.send(call) }
            #expect(late?.status == 412 && late?.code == "version_mismatch")
            #expect(try await client.send(GetEntity<Specimen>(id: first.id)) == second)
        }
    }

    @Test func `a removal needs the version it is based on`() async throws {
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            let first = try await client.send(CreateEntity<Specimen>(.sample))
            #expect(
                await problem { try await client.send(DeleteEntity<Specimen>(id: first.id, ifMatch: nil)) }?.status
                    == 428)
            let old = DeleteEntity<Specimen>(id: first.id, ifMatch: EntityTag(version: first.version + 1))
            #expect(await problem { try await client.send(old) }?.status == 412)
            _ = try await client.send(DeleteEntity<Specimen>(id: first.id, ifMatch: first.entityTag))
            #expect(await problem { try await client.send(GetEntity<Specimen>(id: first.id)) }?.status == 404)
        }
    }

    @Test(arguments: Specimen.flaws)
    func `a value that breaks a rule is refused by its field`(field: String, value: JSONValue) async throws {
        let flawed = try Specimen.sample(field, value)
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            let first = try await client.send(CreateEntity<Specimen>(.sample))
            let edit = UpdateEntity<Specimen>(id: first.id, ifMatch: first.entityTag, to: flawed)
            for refused in [
                await problem { try await client.send(CreateEntity<Specimen>(flawed)) },
                await problem { try await client.send(edit) },
            ] {
                #expect(refused?.status == 422)
                #expect(refused?.errors?.map(\.field) == [field])
            }
            #expect(try await client.send(ListEntities<Specimen>()).items == [first])
        }
    }

    @Test func `pages follow each other, newest first, and end`() async throws {
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            let first = try await client.send(CreateEntity<Specimen>(.sample))
            backend.clock.advance(by: .seconds(1))
            let second = try await client.send(CreateEntity<Specimen>(.other))
            let page = try await client.send(ListEntities<Specimen>(limit: 1))
            #expect(page.items == [second])
            let last = try await client.send(ListEntities<Specimen>(cursor: page.nextCursor, limit: 1))
            #expect(last.items == [first] && last.nextCursor == nil)
            #expect(await problem { try await client.send(ListEntities<Specimen>(cursor: "x")) }?.status == 400)
            for limit in [0, 201] {
                #expect(await problem { try await client.send(ListEntities<Specimen>(limit: limit)) }?.status == 422)
            }
        }
    }

    @Test func `what is not there is 404`() async throws {
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            let id = Specimen.ID("nowhere")
            let tag = EntityTag(version: 1)
            #expect(await problem { try await client.send(GetEntity<Specimen>(id: id)) }?.status == 404)
            let edit = UpdateEntity<Specimen>(id: id, ifMatch: tag, to: .sample)
            #expect(await problem { try await client.send(edit) }?.status == 404)
            #expect(
                await problem { try await client.send(DeleteEntity<Specimen>(id: id, ifMatch: tag)) }?.status == 404)
        }
    }

    @Test func `a machine is forbidden, and nobody is asked to log in`() async throws {
        try await withBackend(SpecimensService()) { backend in
            for (client, status) in [(try backend.machine(), 403), (try backend.anonymous(), 401)] {
                let id = Specimen.ID("s-1")
                let tag = EntityTag(version: 1)
                #expect(await problem { try await client.send(ListEntities<Specimen>()) }?.status == status)
                #expect(await problem { try await client.send(GetEntity<Specimen>(id: id)) }?.status == status)
                #expect(await problem { try await client.send(CreateEntity<Specimen>(.sample)) }?.status == status)
                let edit = UpdateEntity<Specimen>(id: id, ifMatch: tag, to: .sample)
                #expect(await problem { try await client.send(edit) }?.status == status)
                #expect(
                    await problem { try await client.send(DeleteEntity<Specimen>(id: id, ifMatch: tag)) }?.status
                        == status)
            }
        }
    }
}
