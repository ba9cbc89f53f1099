import StrataClient
import StrataOffline

/// A task as the server has it.
struct Todo: Entity {
    static let noun = "task"
    static let collection = "tasks"
    static let fields: [EntityField<Todo>] = [.init("title", \.title)]
    var title: String
}

/// A row of the app's table `task`, which the app's migrator makes.
struct TaskRow: OfflineRow {
    static let collectionName = Todo.collection
    static let databaseTableName = "task"
    static let migrations: [OfflineMigration] = []
    var id: String
    var title: String

    init(id: String, fields: WireFields, stamp: RowStamp) throws {
        self.id = id
        title = try fields.string("title")
    }
}

let remote = CRUDRemote<Todo>(
    list: { try await $0.get("/todos") },
    create: { try await $1.post("/todos", body: $0) },
    update: { try await $2.put("/todos/{id}", ["id": $0], body: $1) },
    delete: { try await $1.delete("/todos/{id}", ["id": $0]) })
