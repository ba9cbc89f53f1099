import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataFeatureTesting
import StrataNetworking
import StrataService
import StrataTesting
import Testing

/// REST and synchronisation call the same hooks, in the transaction of the write.
@Suite struct `The hooks of an entity` {
    struct Task: Entity {
        static let noun = "task"
        static let collection = "tasks"
        static let acceptsIDs = true
        static let fields: [EntityField<Task>] = [
            .init("title", \.title, .line(1...40)),
            .init("is_open", \.isOpen).initially { _ in .bool(true) },
            .init("due_at", \.dueAt).initially { $0.now.addingTimeInterval(60).fieldValue },
        ]
        var title: String
        var isOpen: Bool
        var dueAt: Date
    }

    /// What the hooks were called with.
    final class Calls: Sendable {
        private let all = Mutex<[String]>([])
        var texts: [String] { all.withLock { $0 } }
        func add(_ text: String) { all.withLock { $0.append(text) } }
    }

    struct TasksService: FeatureService {
        let table: EntityTable<Task>

        init(_ calls: Calls) {
            table = EntityTable(
                hooks: EntityHooks(
                    mayCreate: { task, caller in
                        if task.title == "secret", !caller.isAdmin { throw ServiceError.forbidden("Not this one.") }
                    },
                    check: { task, given, now, check in
                        if given.contains("due_at"), task.dueAt < now { check.refuse("due_at", "must not be past") }
                    },
                    beforeWrite: { write, transaction in
                        calls.add("\(write.old?.title ?? "none") > \(write.content.title)")
                        // The row is not there yet, and what is thrown takes the whole write back.
                        let rows = try transaction.rows("SELECT id FROM tasks WHERE title = \(write.content.title)")
                        if !rows.isEmpty, write.old == nil {
                            throw ServiceError.conflict(code: "twice", "There is one.")
                        }
                        try transaction.execute("INSERT INTO task_log (text) VALUES (\(write.content.title))")
                    },
                    beforeDelete: { deletion, transaction in
                        calls.add("delete \(deletion.content.title)")
                        if deletion.content.isOpen { throw ServiceError.conflict(code: "open", "Close it first.") }
                    }))
        }

        var migrations: [StoreMigration] {
            table.migrations + [StoreMigration("task-log-1", "CREATE TABLE task_log (text TEXT NOT NULL)")]
        }
        var syncedCollections: [any SyncedCollection] { [table] }
        func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
    }

    private func push(
        _ client: HTTPAPIClient, _ operation: Mutation.Operation, _ id: String, base: Int? = nil,
        _ fields: [String: JSONValue] = [:]
    ) async throws -> MutationResult {
        let mutation = Mutation(
            id: UUID().uuidString, clientSeq: 1, collection: "tasks", entityId: id, operation: operation,
            baseVersion: base, fields: fields, at: Date(timeIntervalSince1970: 0))
        let batch = MutationBatch(clientId: "device", mutations: [mutation])
        return try await client.send(PushMutations(batch: batch)).results[0]
    }

    @Test func `the contract of an entity holds with values for new ones`() async throws {
        struct Plain: FeatureService {
            let table = EntityTable<Task>()
            var migrations: [StoreMigration] { table.migrations }
            var syncedCollections: [any SyncedCollection] { [table] }
            func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
        }
        #expect(try await EntityContract<Task>(Plain()).failures() == [])
    }

    @Test func `fields that are left out get the values of a new entity`() async throws {
        try await withBackend(TasksService(Calls())) { backend in
            let client = try backend.client()
            let created = try await client.send(CreateEntity<Task>(fields: ["title": .string("a"), "is_open": .null]))
            #expect(created.isOpen && created.dueAt == backend.clock.now.addingTimeInterval(60))
            let pushed = try await push(client, .create, "s1", ["title": .string("b")])
            #expect(pushed.status == .rejected, "It was due a minute after the device wrote it.")
            let later = try await push(
                client, .create, "s2", ["title": .string("c"), "due_at": Date.distantFuture.fieldValue])
            #expect(later.status == .applied)
            #expect(try await client.send(GetEntity<Task>(id: Task.ID("s2"))).isOpen)
        }
    }

    @Test func `a creator, a rule with the server's clock and a rule of the rows hold on both ways`() async throws {
        let calls = Calls()
        try await withBackend(TasksService(calls)) { backend in
            let client = try backend.client()
            let due = backend.clock.now.addingTimeInterval(600).fieldValue
            let secret = ["title": .string("secret"), "due_at": due] as [String: JSONValue]
            #expect(await problem { try await client.send(CreateEntity<Task>(fields: secret)) }?.status == 403)
            #expect(try await push(client, .create, "s1", secret).error?.status == 403)

            let late = ["title": .string("late"), "due_at": Date.distantPast.fieldValue] as [String: JSONValue]
            let refused = await problem { try await client.send(CreateEntity<Task>(fields: late)) }
            #expect(refused?.errors?.map(\.field) == ["due_at"])
            #expect(try await push(client, .create, "s2", late).error?.errors?.map(\.field) == ["due_at"])
            #expect(calls.texts.isEmpty, "Nothing was written.")

            let one = ["title": .string("one"), "due_at": due] as [String: JSONValue]
            let created = try await client.send(CreateEntity<Task>(fields: one))
            #expect(await problem { try await client.send(CreateEntity<Task>(fields: one)) }?.code == "twice")
            #expect(try await push(client, .create, "s3", one).error?.code == "twice")
            let count = try await backend.store.read { try $0.row("SELECT COUNT(*) AS n FROM task_log")?.int("n") }
            #expect(count == 1, "What a hook wrote goes with the write that was refused.")

            let edit = ["title": .string("two")] as [String: JSONValue]
            let patched = try await client.send(PatchEntity<Task>(id: created.id, ifMatch: created.entityTag, edit))
            let pushed = try await push(
                client, .patch, created.id.rawValue, base: patched.version, ["title": .string("three")])
            #expect(pushed.status == .applied)
            #expect(calls.texts.suffix(2) == ["one > two", "two > three"])
        }
    }

    @Test func `a repeated create is no second write`() async throws {
        let calls = Calls()
        try await withBackend(TasksService(calls)) { backend in
            let client = try backend.client()
            let fields =
                [
                    "title": .string("a"), "is_open": .bool(false), "due_at": Date.distantFuture.fieldValue,
                ] as [String: JSONValue]
            let call = CreateEntity<Task>(fields: fields, id: Task.ID("t1"))
            let first = try await client.send(call)
            #expect(try await client.send(call) == first)
            #expect(try await push(client, .create, "t1", fields).status == .applied)
            #expect(calls.texts == ["none > a"])
        }
    }

    @Test func `a create under a known id compares what was sent, and tells of no hidden entity`() async throws {
        struct Diary: Entity {
            static let noun = "diary"
            static let collection = "diaries"
            static let ownership = Ownership.author
            static let acceptsIDs = true
            static let fields: [EntityField<Diary>] = [
                .init("text", \.text), .init("at", \.at).initially { $0.now.fieldValue },
            ]
            var text: String
            var at: Date
        }
        struct Diaries: FeatureService {
            let table = EntityTable<Diary>()
            var migrations: [StoreMigration] { table.migrations }
            func mount(on routes: inout APIRoutes) { table.mount(on: &routes) }
        }
        try await withBackend(Diaries()) { backend in
            let call = CreateEntity<Diary>(fields: ["text": .string("mine"), "at": .null], id: Diary.ID("d1"))
            let ada = try backend.client()
            let first = try await ada.send(call)
            backend.clock.advance(by: .seconds(60))
            #expect(try await ada.send(call) == first)
            var other = call
            other.draft.fields["text"] = .string("another")
            #expect(await problem { try await ada.send(other) }?.code == "id_taken")
            #expect(await problem { try await backend.client(as: "bob").send(call) }?.code == "id_taken")
        }
    }

    @Test func `a deletion is refused on both ways, and leaves the row`() async throws {
        let calls = Calls()
        try await withBackend(TasksService(calls)) { backend in
            let client = try backend.client()
            let created = try await client.send(
                CreateEntity<Task>(fields: ["title": .string("a"), "due_at": Date.distantFuture.fieldValue]))
            let delete = DeleteEntity<Task>(id: created.id, ifMatch: created.entityTag)
            #expect(await problem { try await client.send(delete) }?.code == "open")
            let pushed = try await push(client, .delete, created.id.rawValue, base: created.version)
            #expect(pushed.error?.code == "open")
            #expect(try await client.send(GetEntity<Task>(id: created.id)) == created)
            let closed = try await client.send(
                PatchEntity<Task>(id: created.id, ifMatch: created.entityTag, ["is_open": .bool(false)]))
            _ = try await client.send(DeleteEntity<Task>(id: closed.id, ifMatch: closed.entityTag))
            #expect(calls.texts.filter { $0.hasPrefix("delete") }.count == 3)
        }
    }
}
