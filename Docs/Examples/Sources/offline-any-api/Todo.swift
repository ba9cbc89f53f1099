import StrataClient
import StrataOffline

struct Todo: Entity {
    static let noun = "task"
    static let collection = "tasks"
    static let fields: [EntityField<Todo>] = [.init("title", \.title, .line(1...200)), .init("done", \.done)]
    var title: String
    var done = false
}

/// A task as the server writes it.
struct Row: Codable, Sendable {
    var id: Int?
    var taskTitle: String
    var isDone: Bool
    enum CodingKeys: String, CodingKey {
        case id, taskTitle
        case isDone = "is_done"
    }
    var remote: Remote<Todo> { Remote(id: RemoteID("\(id ?? 0)"), Todo(title: taskTitle, done: isDone)) }
}
extension Todo { var row: Row { Row(id: nil, taskTitle: title, isDone: done) } }

struct Page: Decodable, Sendable { var tasks: [Row] }

let tasks = CRUDRemote<Todo>(
    pages: { point, client in
        let offset = point.page.flatMap { Int($0) } ?? 0
        let page: Page = try await client.get("/api/tasks", ["offset": offset])
        return RemoteList(page.tasks.map(\.remote), next: page.tasks.isEmpty ? nil : "\(offset + page.tasks.count)")
    },
    create: { try await ($1.post("/api/tasks", body: $0.row) as Row).remote },
    update: { try await ($2.patch("/api/tasks/{id}", ["id": $0], body: $1.row) as Row).remote },
    delete: { try await $1.delete("/api/tasks/{id}", ["id": $0]) },
    get: { try await ($1.get("/api/tasks/{id}", ["id": $0]) as Row).remote },
    abilities: RemoteAbilities(precondition: .ifMatch))
