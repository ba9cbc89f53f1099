import StrataDomain
import StrataService

/// `GET /admin`: users, sessions, jobs, settings and tables, for administrators.
struct ShowAdminPage: RoutedEndpoint {
    static let route = Route.get("/admin")
    typealias Response = HTMLPage
    static let documentation = EndpointDocumentation(
        details: "The page of administration.",
        schemas: ["view": .choice(AdminView.allCases.map(\.rawValue)), "page": .integer()],
        statuses: [
            303: "To the page for signing in.", 400: "A page, for a cursor that cannot be used.",
            403: "The page, for a user who is no administrator.", 404: "A page, for what is gone or never was.",
        ])

    /// What is listed, an `AdminView`; any other text is answered with a page. Default: users.
    @Query var view: String?
    /// The user whose sessions are listed.
    @Query var user: String?
    /// The state of the listed jobs. Default: those that were set aside.
    @Query var state: String?
    /// The listed table.
    @Query var table: String?
    /// Of users, a number from 1; any other text is answered with a page. Default: 1.
    @Query var page: String?
    /// Where the page of a table begins.
    @Query var cursor: String?
    /// The button that led here, an `AdminForm.Action`; any other text is ignored.
    @Query var done: String?
}

/// What `/admin` lists.
enum AdminView: String, CaseIterable {
    case users, sessions, jobs, settings, table
}

/// `POST /admin`: the buttons of the page.
struct SendAdminPage: RoutedEndpoint {
    static let route = Route.post("/admin")
    typealias Response = HTMLPage
    static let documentation = EndpointDocumentation(
        details: "The buttons of the page.",
        statuses: [
            303: "Done, or to the page for signing in.", 403: "A page, for a form that is not the caller's.",
            404: "A page, for what is gone.", 409: "A page, for a job that runs.",
        ])

    @Body var form: AdminForm
}

/// A button, what it is for, the token of the session, and the path to go on with.
struct AdminForm: FormBody {
    enum Action: String, Codable, CaseIterable, Sendable {
        case endSessions = "end_sessions"
        case endSession = "end_session"
        case retryJob = "retry_job"
        case discardJob = "discard_job"

        /// What the page says afterwards.
        var sentence: String {
            switch self {
            case .endSessions: "Every session of the user has ended."
            case .endSession: "The session has ended."
            case .retryJob: "The job will run again."
            case .discardJob: "The job was discarded."
            }
        }
    }

    var action: Action?
    var id: String?
    /// Checked by the route, before the handler runs.
    var formToken: String?
    var next: String?
}

/// A list on `/admin`, as its template reads it.
struct AdminPage: Sendable {
    struct Button: Sendable {
        let action: AdminForm.Action
        let id: String
        let label: String
    }

    struct Row: Sendable {
        var cells: [String]
        /// Where the first cell leads.
        var path: String?
        var buttons: [Button] = []
    }

    var title: String
    var note: String?
    var columns: [String]
    var rows: [Row]
    /// Other lists of this view.
    var choices: [(label: String, path: String)] = []
    var nextPath: String?

    /// Most characters of a cell; the rest is cut off.
    static let longestCell = 200

    /// - Parameters:
    ///   - path: Where the buttons lead.
    ///   - done: What was done before, if anything.
    ///   - views: The other views.
    func values(
        for caller: PageCaller, at path: String, after done: AdminForm.Action?, views: [(label: String, path: String)]
    ) -> [String: Any] {
        let rows = self.rows.map { row -> [String: Any] in
            let cells = row.cells.enumerated().map { place, text -> [String: String] in
                var cell = ["text": Self.cut(text)]
                if place == 0 { cell["path"] = row.path }
                return cell
            }
            let buttons = row.buttons.map { button in
                [
                    "action": button.action.rawValue, "id": button.id, "label": button.label,
                    "of": Self.cut(row.cells.first ?? ""), "token": caller.session.formToken, "next": path,
                ]
            }
            return ["cells": cells, "buttons": buttons]
        }
        var values: [String: Any] = [
            "title": title, "isWide": true, "name": caller.user.username, "token": caller.session.formToken,
            "views": Self.links(views), "choices": Self.links(choices), "columns": columns, "rows": rows,
            "isEmpty": rows.isEmpty, "hasButtons": self.rows.contains { !$0.buttons.isEmpty },
        ]
        values["note"] = note
        values["done"] = done?.sentence
        values["nextPath"] = nextPath
        return values
    }

    private static func links(_ links: [(label: String, path: String)]) -> [[String: String]] {
        links.map { ["label": $0.label, "path": $0.path] }
    }

    /// By scalars: one `Character` may have any number of them.
    private static func cut(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(scalars.startIndex, offsetBy: longestCell, limitedBy: scalars.endIndex)
        guard let end, end < scalars.endIndex else { return text }
        return String(scalars[..<end]) + "…"
    }
}
