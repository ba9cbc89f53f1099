import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataFeatureTesting
import StrataService
import StrataTerminal
import StrataTesting
import Testing

/// What an entity adds to its fields: a rule over two of them, a computed field, a route of its own.
struct EntitySeamTests {
    struct Shift: Entity {
        static let noun = "shift"
        static let collection = "shifts"
        static let fields: [EntityField<Shift>] = [
            .init("starts_at", \.startsAt).sortable, .init("ends_at", \.endsAt),
            .init("person", \.person, .line(1...40)),
        ]
        static let computedFields: [ComputedField<Shift>] = [
            .init("hours") { "\(Int($0.endsAt.timeIntervalSince($0.startsAt) / 3600)) h" }
        ]
        static func check(_ shift: Shift, _ check: inout FieldCheck) {
            if shift.endsAt <= shift.startsAt { check.refuse("ends_at", "must be after starts_at") }
        }
        static func sampleValues(_ number: Int) -> [String: JSONValue] {
            ["ends_at": .string("2027-01-0\(number)T00:00:00.000Z")]
        }

        var startsAt: Date
        var endsAt: Date
        var person: String
    }

    /// `POST /v1/shifts/{id}/ending`.
    struct EndShift: RoutedEndpoint {
        static let route = Route.post("/v1/shifts/{id}/ending")
        typealias Response = Stored<Shift>

        @Path var id: Shift.ID
    }

    struct ShiftsService: FeatureService {
        let table = EntityTable<Shift>()
        var migrations: [StoreMigration] { table.migrations }
        var syncedCollections: [any SyncedCollection] { [table] }
        func mount(on routes: inout APIRoutes) {
            table.mount(on: &routes)
            routes.write(EndShift.self, for: .users) { call, scope, store in
                let shift = try table.entity(call.id, for: scope.caller(), in: store)
                return try table.patch(
                    call.id, with: ["ends_at": scope.now.fieldValue], matching: IfMatch(shift.entityTag),
                    by: scope.caller(), at: scope.now, in: store)
            }
        }
    }

    @Test func `an entity with a rule over two fields keeps the contract`() async throws {
        let failures = try await EntityContract<Shift>(ShiftsService()).failures()
        #expect(failures == [])
    }

    @Test func `a rule over two fields is checked on both sides and by every write`() async throws {
        var wrong = try Shift.sample()
        wrong.endsAt = wrong.startsAt
        let error = #expect(throws: DomainError.self) { try wrong.validated() }
        #expect(error?.description.contains("must be after starts_at") == true)
        let flawed = wrong
        try await withBackend(ShiftsService()) { backend in
            let client = try backend.client()
            let shift = try await client.send(CreateEntity(Shift.sample()))
            let end = try flawed.wireFields()["ends_at"] ?? .null
            let mutation = Mutation(
                id: "m-1", clientSeq: 1, collection: "shifts", entityId: shift.id.rawValue, operation: .patch,
                baseVersion: shift.version, fields: ["ends_at": end], at: shift.updatedAt)
            let pushed = try await client.send(
                PushMutations(batch: MutationBatch(clientId: "c", mutations: [mutation]))
            ).results.first
            for refused in [
                await problem { try await client.send(CreateEntity(flawed)) },
                await problem {
                    try await client.send(UpdateEntity(id: shift.id, ifMatch: shift.entityTag, to: flawed))
                },
                await problem {
                    try await client.send(
                        PatchEntity<Shift>(id: shift.id, ifMatch: shift.entityTag, ["ends_at": end]))
                },
                pushed?.error,
            ] { #expect(refused?.status == 422 && refused?.errors?.map(\.field) == ["ends_at"]) }
        }
    }

    @Test func `a route of a feature's own writes by the rules of the table`() async throws {
        try await withBackend(ShiftsService()) { backend in
            let client = try backend.client()
            var shift = try Shift.sample()
            shift.startsAt = backend.clock.now.addingTimeInterval(-3600)
            let created = try await client.send(CreateEntity(shift))
            #expect(try await client.send(EndShift(id: created.id)).endsAt == backend.clock.now)
            #expect(await problem { try await client.send(EndShift(id: Shift.ID("nowhere"))) }?.status == 404)
        }
    }

    @Test func `a computed field is a column and a line`() throws {
        let shift = Stored(
            id: Shift.ID("s-1"), Shift(startsAt: .noon, endsAt: .noon.addingTimeInterval(7200), person: "ada"),
            version: 1,
            updatedAt: .noon)
        let (list, listed, _) = Console.inMemory(width: 200)
        try list.list([shift], FieldsView<Shift>.list(ListOptions.parse([]), empty: "none"))
        #expect(listed.text.contains("HOURS") && listed.text.contains("2 h"))
        let (show, shown, _) = Console.inMemory(width: 200)
        try show.show(FieldsView<Shift>.self, Snapshot(shift, .local))
        #expect(shown.text.contains("hours") && shown.text.contains("2 h"))
    }
}
