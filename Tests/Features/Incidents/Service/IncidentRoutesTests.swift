import IncidentsAPI
import IncidentsDomain
import IncidentsService
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@Suite struct `Incidents, client to backend and back` {
    @Test(arguments: [Incident.sample, .other, .least])
    func `what is created comes back as it was sent, wherever it is read`(incident: Incident) async throws {
        try await withBackend(IncidentsService()) { backend in
            let client = try backend.client()
            let answer = try await client.response(to: CreateIncident(incident: incident), options: CallOptions())
            #expect(answer.head.status == 201)
            #expect(answer.head.headers["ETag"] == "\"\(answer.value.version)\"")
            #expect(answer.value.content == incident)
            #expect(try await client.send(GetIncident(id: answer.value.id)) == answer.value)
            #expect(try await client.send(ListIncidents()).items == [answer.value])
        }
    }

    @Test func `a create that is repeated takes effect once`() async throws {
        try await withBackend(IncidentsService()) { backend in
            let client = try backend.client()
            let options = CallOptions(idempotencyKey: "create-1")
            let first = try await client.send(CreateIncident(incident: .sample), options: options)
            #expect(try await client.send(CreateIncident(incident: .sample), options: options) == first)
            #expect(try await client.send(ListIncidents()).items == [first])
        }
    }

    @Test func `an edit needs the version it is based on`() async throws {
        try await withBackend(IncidentsService()) { backend in
            let client = try backend.client()
            let first = try await client.send(CreateIncident(incident: .sample))
            let blind = UpdateIncident(id: first.id, ifMatch: nil, incident: .other)
            #expect(await problem { try await client.send(blind) }?.status == 428)
            let call = UpdateIncident(id: first.id, ifMatch: first.entityTag, incident: .other)
            let second = try await client.send(call)
            #expect(second.content == .other && second.version > first.version)
            let late = await problem { try await client.send(call) }
            #expect(late?.status == 412 && late?.code == "version_mismatch")
            #expect(try await client.send(GetIncident(id: first.id)) == second)
        }
    }

    @Test func `a removal needs the version it is based on`() async throws {
        try await withBackend(IncidentsService()) { backend in
            let client = try backend.client()
            let first = try await client.send(CreateIncident(incident: .sample))
            #expect(await problem { try await client.send(DeleteIncident(id: first.id, ifMatch: nil)) }?.status == 428)
            let old = DeleteIncident(id: first.id, ifMatch: EntityTag(version: first.version + 1))
            #expect(await problem { try await client.send(old) }?.status == 412)
            _ = try await client.send(DeleteIncident(id: first.id, ifMatch: first.entityTag))
            #expect(await problem { try await client.send(GetIncident(id: first.id)) }?.status == 404)
        }
    }

    @Test(arguments: Incident.flaws)
    func `a value that breaks a rule is refused by its field`(field: String, value: JSONValue) async throws {
        let flawed = try Incident.sample(field, value)
        try await withBackend(IncidentsService()) { backend in
            let client = try backend.client()
            let first = try await client.send(CreateIncident(incident: .sample))
            let edit = UpdateIncident(id: first.id, ifMatch: first.entityTag, incident: flawed)
            for refused in [
                await problem { try await client.send(CreateIncident(incident: flawed)) },
                await problem { try await client.send(edit) },
            ] {
                #expect(refused?.status == 422)
                #expect(refused?.errors?.map(\.field) == [field])
            }
            #expect(try await client.send(ListIncidents()).items == [first])
        }
    }

    @Test func `pages follow each other, newest first, and end`() async throws {
        try await withBackend(IncidentsService()) { backend in
            let client = try backend.client()
            let first = try await client.send(CreateIncident(incident: .sample))
            backend.clock.advance(by: .seconds(1))
            let second = try await client.send(CreateIncident(incident: .other))
            let page = try await client.send(ListIncidents(limit: 1))
            #expect(page.items == [second])
            let last = try await client.send(ListIncidents(cursor: page.nextCursor, limit: 1))
            #expect(last.items == [first] && last.nextCursor == nil)
            #expect(await problem { try await client.send(ListIncidents(cursor: "x")) }?.status == 400)
            for limit in [0, 201] {
                #expect(await problem { try await client.send(ListIncidents(limit: limit)) }?.status == 422)
            }
        }
    }

    @Test func `what is not there is 404`() async throws {
        try await withBackend(IncidentsService()) { backend in
            let client = try backend.client()
            let id = Incident.ID("nowhere")
            let tag = EntityTag(version: 1)
            #expect(await problem { try await client.send(GetIncident(id: id)) }?.status == 404)
            let edit = UpdateIncident(id: id, ifMatch: tag, incident: .sample)
            #expect(await problem { try await client.send(edit) }?.status == 404)
            #expect(await problem { try await client.send(DeleteIncident(id: id, ifMatch: tag)) }?.status == 404)
        }
    }

    @Test func `a machine is forbidden, and nobody is asked to log in`() async throws {
        try await withBackend(IncidentsService()) { backend in
            for (client, status) in [(try backend.machine(), 403), (try backend.nobody(), 401)] {
                let id = Incident.ID("s-1")
                let tag = EntityTag(version: 1)
                #expect(await problem { try await client.send(ListIncidents()) }?.status == status)
                #expect(await problem { try await client.send(GetIncident(id: id)) }?.status == status)
                #expect(await problem { try await client.send(CreateIncident(incident: .sample)) }?.status == status)
                let edit = UpdateIncident(id: id, ifMatch: tag, incident: .sample)
                #expect(await problem { try await client.send(edit) }?.status == status)
                #expect(await problem { try await client.send(DeleteIncident(id: id, ifMatch: tag)) }?.status == status)
            }
        }
    }
}
