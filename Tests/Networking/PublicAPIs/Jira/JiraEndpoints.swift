import FoundationEssentials
import StrataDomain

extension Jira {
    struct GetIssue: RoutedEndpoint {
        static let route = Route.get("/rest/api/3/issue/{key}")
        typealias Response = Issue
        @Path var key: String
        @Query var fields: [String] = []
        @CommaQuery var expand: [String] = []
        @Query var fieldsByKeys: Bool?
    }

    struct CreateIssue: RoutedEndpoint, FailingEndpoint {
        static let route = Route.post("/rest/api/3/issue")
        typealias Response = CreatedIssue
        typealias Failure = Jira.Failure
        @Query var updateHistory: Bool?
        @Body var issue: Draft

        struct Draft: Codable, Sendable { var fields: [String: JSONValue] }
    }

    struct AddComment: RoutedEndpoint {
        static let route = Route.post("/rest/api/3/issue/{key}/comment")
        typealias Response = Comment
        @Path var key: String
        @Body var comment: Draft

        struct Draft: Codable, Sendable {
            var body: Document
            var visibility: Visibility?
        }
    }

    struct ListChanges: RoutedEndpoint {
        static let route = Route.get("/rest/api/3/issue/{key}/changelog")
        typealias Response = Page<Change>
        @Path var key: String
        @Query var startAt: Int?
        @Query var maxResults: Int?
    }

    struct ListUpdatedWorklogs: RoutedEndpoint {
        static let route = Route.get("/rest/api/3/worklog/updated")
        static let json = JSONForm.asDeclared(dates: .millisecondsSince1970)
        typealias Response = UpdatedWorklogs
        @Query var since: Date?
    }

    struct CreateVersion: RoutedEndpoint {
        static let route = Route.post("/rest/api/3/version")
        typealias Response = Version
        @Body var version: Version
    }

    struct DeleteIssue: RoutedEndpoint {
        static let route = Route.delete("/rest/api/3/issue/{key}")
        typealias Response = NoContent
        @Path var key: String
        @Query var deleteSubtasks: Bool?
    }

    /// `null` takes the assignee away.
    struct Assign: RoutedEndpoint {
        static let route = Route.put("/rest/api/3/issue/{key}/assignee")
        typealias Response = NoContent
        @Path var key: String
        @Body var assignee: Assignee
    }

    struct GetTask: RoutedEndpoint {
        static let route = Route.get("/rest/api/3/task/{id}")
        static let json = JSONForm.asDeclared(dates: .millisecondsSince1970)
        typealias Response = AsyncTask
        @Path var id: String
    }

    struct DeleteWebhooks: RoutedEndpoint {
        static let route = Route.delete("/rest/api/3/webhook")
        typealias Response = NoContent
        @Body var hooks: Ids

        struct Ids: Codable, Sendable { var webhookIds: [Int] }
    }

    /// Its body is a multipart form with the part `file`.
    struct AddAttachment: RoutedEndpoint {
        static let route = Route.post("/rest/api/3/issue/{key}/attachments")
        typealias Response = [Attachment]
        @Path var key: String
        @Header var xAtlassianToken = "no-check"
    }
}
