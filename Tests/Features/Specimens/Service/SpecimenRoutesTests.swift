import SpecimensAPI
import SpecimensDomain
import SpecimensService
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataTesting
import Testing

@Suite struct `Specimens, client to backend and back` {
    @Test(arguments: [Specimen.sample, .other, .least])
    func `what is created comes back as it was sent, wherever it is read`(specimen: Specimen) async throws {
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            let answer = try await client.response(to: CreateSpecimen(specimen: specimen), options: CallOptions())
            #expect(answer.head.status == 201)
            #expect(answer.head.headers["ETag"] == "\"\(answer.value.version)\"")
            #expect(answer.value.content == specimen)
            #expect(try await client.send(GetSpecimen(id: answer.value.id)) == answer.value)
            #expect(try await client.send(ListSpecimens()).items == [answer.value])
        }
    }

    @Test func `a create that is repeated takes effect once`() async throws {
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            let options = CallOptions(idempotencyKey: "create-1")
            let first = try await client.send(CreateSpecimen(specimen: .sample), options: options)
            #expect(try await client.send(CreateSpecimen(specimen: .sample), options: options) == first)
            #expect(try await client.send(ListSpecimens()).items == [first])
        }
    }

    @Test func `an edit needs the version it is based on`() async throws {
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            let first = try await client.send(CreateSpecimen(specimen: .sample))
            let blind = UpdateSpecimen(id: first.id, ifMatch: nil, specimen: .other)
            #expect(await problem { try await client.send(blind) }?.status == 428)
            let call = UpdateSpecimen(id: first.id, ifMatch: first.entityTag, specimen: .other)
            let second = try await client.send(call)
            #expect(second.content == .other && second.version > first.version)
            let late = await problem { try await client.send(call) }
            #expect(late?.status == 412 && late?.code == "version_mismatch")
            #expect(try await client.send(GetSpecimen(id: first.id)) == second)
        }
    }

    @Test func `a removal needs the version it is based on`() async throws {
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            let first = try await client.send(CreateSpecimen(specimen: .sample))
            #expect(await problem { try await client.send(DeleteSpecimen(id: first.id, ifMatch: nil)) }?.status == 428)
            let old = DeleteSpecimen(id: first.id, ifMatch: EntityTag(version: first.version + 1))
            #expect(await problem { try await client.send(old) }?.status == 412)
            _ = try await client.send(DeleteSpecimen(id: first.id, ifMatch: first.entityTag))
            #expect(await problem { try await client.send(GetSpecimen(id: first.id)) }?.status == 404)
        }
    }

    @Test(arguments: Specimen.flaws)
    func `a value that breaks a rule is refused by its field`(field: String, value: JSONValue) async throws {
        let flawed = try Specimen.sample(field, value)
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            let first = try await client.send(CreateSpecimen(specimen: .sample))
            let edit = UpdateSpecimen(id: first.id, ifMatch: first.entityTag, specimen: flawed)
            for refused in [
                await problem { try await client.send(CreateSpecimen(specimen: flawed)) },
                await problem { try await client.send(edit) },
            ] {
                #expect(refused?.status == 422)
                #expect(refused?.errors?.map(\.field) == [field])
            }
            #expect(try await client.send(ListSpecimens()).items == [first])
        }
    }

    @Test func `pages follow each other, newest first, and end`() async throws {
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            let first = try await client.send(CreateSpecimen(specimen: .sample))
            backend.clock.advance(by: .seconds(1))
            let second = try await client.send(CreateSpecimen(specimen: .other))
            let page = try await client.send(ListSpecimens(limit: 1))
            #expect(page.items == [second])
            let last = try await client.send(ListSpecimens(cursor: page.nextCursor, limit: 1))
            #expect(last.items == [first] && last.nextCursor == nil)
            #expect(await problem { try await client.send(ListSpecimens(cursor: "x")) }?.status == 400)
            for limit in [0, 201] {
                #expect(await problem { try await client.send(ListSpecimens(limit: limit)) }?.status == 422)
            }
        }
    }

    @Test func `what is not there is 404`() async throws {
        try await withBackend(SpecimensService()) { backend in
            let client = try backend.client()
            let id = Specimen.ID("nowhere")
            let tag = EntityTag(version: 1)
            #expect(await problem { try await client.send(GetSpecimen(id: id)) }?.status == 404)
            let edit = UpdateSpecimen(id: id, ifMatch: tag, specimen: .sample)
            #expect(await problem { try await client.send(edit) }?.status == 404)
            #expect(await problem { try await client.send(DeleteSpecimen(id: id, ifMatch: tag)) }?.status == 404)
        }
    }

    @Test func `a machine is forbidden, and nobody is asked to log in`() async throws {
        try await withBackend(SpecimensService()) { backend in
            for (client, status) in [(try backend.machine(), 403), (try backend.nobody(), 401)] {
                let id = Specimen.ID("s-1")
                let tag = EntityTag(version: 1)
                #expect(await problem { try await client.send(ListSpecimens()) }?.status == status)
                #expect(await problem { try await client.send(GetSpecimen(id: id)) }?.status == status)
                #expect(await problem { try await client.send(CreateSpecimen(specimen: .sample)) }?.status == status)
                let edit = UpdateSpecimen(id: id, ifMatch: tag, specimen: .sample)
                #expect(await problem { try await client.send(edit) }?.status == status)
                #expect(await problem { try await client.send(DeleteSpecimen(id: id, ifMatch: tag)) }?.status == status)
            }
        }
    }
}
