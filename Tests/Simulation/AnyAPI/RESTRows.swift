import FoundationEssentials
import GRDB
import StrataDomain

@testable import StrataOffline

/// A project as the app stores it. A user decides about edits on both sides.
struct ProjectRow: OfflineRow {
    static let collectionName = "projects"
    static let databaseTableName = "project"
    static let migrations = [
        OfflineMigration(
            "1", "CREATE TABLE project (id TEXT PRIMARY KEY, text TEXT NOT NULL, mark TEXT, code TEXT, project TEXT)")
    ]

    var id: String
    var text: String
    var mark: String?
    var code: String?

    init(id: String, fields: WireFields, stamp: RowStamp) throws {
        self.id = id
        text = try fields.string("text")
        mark = try fields.optionalString("mark")
        code = try fields.optionalString("code")
    }
}

/// A task, which may refer to a project. The edit that reaches the server last wins, also over a deletion.
struct TaskRow: OfflineRow {
    static let collectionName = "tasks"
    static let databaseTableName = "task"
    static let migrations = [
        OfflineMigration(
            "1", "CREATE TABLE task (id TEXT PRIMARY KEY, text TEXT NOT NULL, mark TEXT, code TEXT, project TEXT)")
    ]
    static let mergePolicy = MergePolicy(fields: .lastEdit, deletion: .editWins)

    var id: String
    var text: String
    var mark: String?
    /// The local id.
    var project: String?

    init(id: String, fields: WireFields, stamp: RowStamp) throws {
        self.id = id
        text = try fields.string("text")
        mark = try fields.optionalString("mark")
        project = try fields.optionalString("project")
    }
}

/// The content of a project for `CRUDRemote`.
struct RESTProject: Entity {
    static let noun = "project"
    static let collection = "projects"
    static let fields: [EntityField<RESTProject>] = [
        .init("text", \.text), .init("mark", \.mark), .init("code", \.code),
    ]
    var text: String
    var mark: String?
    var code: String?
}

/// The content of a task for `CRUDRemote`.
struct RESTTask: Entity {
    static let noun = "task"
    static let collection = "tasks"
    static let fields: [EntityField<RESTTask>] = [
        .init("text", \.text), .init("mark", \.mark), .init("project", \.project),
    ]
    var text: String
    var mark: String?
    var project: String?
}
