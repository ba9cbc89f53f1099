import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting

/// The API of Jira Cloud, version 3: camel case, `+0000` in most times and milliseconds since 1970 in others, pages by offset and by
/// URL, fields that each site names itself, errors as `{"errorMessages": […], "errors": {…}}`.
///
/// Source: Atlassian's document in salto-io/jira-swaggers, commit e9edd0efc751bbc5b2a2c33f8755f9ed04e14158, `platform-swagger.v3.json`.
enum Jira {
    static func api(_ answers: ScriptedTransport.Answer...) throws -> PublicAPI {
        try PublicAPI(
            "https://jira.example.com", auth: .basic(user: "mia@example.com", password: Secret("t-1")),
            options: ClientOptions(json: .asDeclared), answers)
    }

    struct Issue: Codable, Sendable {
        var id: String
        var key: String
        /// As the site has defined them.
        var fields: [String: JSONValue]
    }

    struct CreatedIssue: Codable, Sendable, Equatable { var id: String, key: String }

    /// Rich text.
    struct Document: Codable, Sendable, Equatable {
        var type = "doc"
        var version = 1
        var content: [Node]

        struct Node: Codable, Sendable, Equatable {
            var type: String
            var text: String?
            var content: [Node]?
        }

        static func text(_ text: String) -> Document {
            Document(content: [Node(type: "paragraph", content: [Node(type: "text", text: text)])])
        }
    }

    struct Visibility: Codable, Sendable, Equatable { var type: String, value: String, identifier: String }

    struct User: Codable, Sendable, Equatable { var accountId: String, displayName: String }

    struct Comment: Codable, Sendable, Equatable {
        var id: String
        var author: User
        var body: Document
        var created: Date
        var updated: Date
        var visibility: Visibility?
    }

    struct Page<Item: Codable & Sendable>: Codable, Sendable {
        var startAt: Int
        var total: Int
        var isLast: Bool
        var nextPage: String?
        var values: [Item]
    }

    struct Change: Codable, Sendable, Equatable {
        var id: String
        var created: Date
        var items: [Item]

        struct Item: Codable, Sendable, Equatable {
            var field: String
            var from: String?
            var fromString: String?
            var toString: String?
        }
    }

    /// Its times are milliseconds since 1970; those of every other resource are text.
    struct UpdatedWorklogs: Codable, Sendable {
        var values: [Worklog]
        var until: Date
        var nextPage: String?
        var lastPage: Bool

        struct Worklog: Codable, Sendable, Equatable { var worklogId: Int, updatedTime: Date }
        var next: String? { lastPage ? nil : nextPage }
    }

    struct Version: Codable, Sendable, Equatable {
        var id: String?
        var name: String
        var description: String?
        var projectId: Int
        var released: Bool
        /// `2010-07-06`: a day, while the times of the same API are moments.
        var releaseDate: String?
    }

    struct Assignee: Codable, Sendable { var accountId: Patch<String> }

    enum TaskStatus: String {
        case enqueued = "ENQUEUED"
        case running = "RUNNING"
        case complete = "COMPLETE"
        case failed = "FAILED"
    }

    struct AsyncTask: Codable, Sendable, Equatable {
        var id: String
        var status: Open<TaskStatus>
        var progress: Int
        var submitted: Date
        var finished: Date?
        var result: JSONValue?
    }

    struct Attachment: Codable, Sendable, Equatable {
        /// Missing in an example of the document.
        var id: String?
        var filename: String
        var created: Date
        var size: Int
    }

    struct Failure: Codable, Sendable, Equatable { var errorMessages: [String], errors: [String: String] }
}
