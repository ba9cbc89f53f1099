import AccountsDomain
import FoundationEssentials
import StrataDomain
import StrataService

/// The page of administration: what `shiftlog-server` does with users, sessions and jobs, and lists of tables.
extension AccountsService {
    /// Users on a page.
    private static var usersOnPage: Int { 50 }
    /// Jobs that are listed.
    private static var mostJobs: Int { 200 }

    func mountAdmin(on routes: inout APIRoutes) {
        routes.page(ShowAdminPage.self, for: .admins, next: { Self.path($0) }) { call, request, caller in
            // A link on another site cannot claim that something was done.
            let done = request.isForeign ? nil : call.done.flatMap(AdminForm.Action.init(rawValue:))
            do {
                let page = try await list(call, for: caller, at: request.scope.now)
                let values = page.values(for: caller, at: Self.path(call), after: done, views: views)
                return try self.page(AdminPage.template, values)
            } catch let error as ServiceError where [400, 404].contains(error.problem.status) {
                let text = "There is no such list, user or page. It may be gone since the link was made."
                let values = ["title": "Not shown", "text": text, "back": ShowAdminPage.route.template]
                return try self.page(Self.notice, values, status: error.problem.status)
            }
        }
        routes.page(SendAdminPage.self, for: .admins, next: { Self.next(after: $0.form) }) { call, request, _ in
            let next = Self.next(after: call.form)
            let done = try await act(call.form, at: request.scope.now)
            return .redirect(to: "\(next)\(next.contains("?") ? "&" : "?")done=\(done.rawValue)")
        }
    }

    private static func next(after form: AdminForm) -> String {
        LocalPath.accepted(form.next, otherwise: ShowAdminPage.route.template)
    }

    /// - Returns: What was done.
    private func act(_ form: AdminForm, at now: Date) async throws -> AdminForm.Action {
        guard let action = form.action else {
            throw ServiceError.validation([FieldError(field: "action", message: "is missing")])
        }
        let (id, jobs) = (form.id ?? "", JobQueue(store: store))
        switch action {
        case .endSessions:
            try await store.write { transaction in
                let user = try UserTable.existing(User.ID(id), in: transaction)
                try Sessions.endAll(of: user.id.rawValue, because: .revoked, at: now, in: transaction)
            }
        case .endSession:
            // One that has ended is what was wanted.
            try await store.write { transaction in
                _ = try Sessions.end(id, because: .revoked, at: now, in: transaction)
            }
        case .retryJob: try await jobs.retry(id, at: now)
        case .discardJob: try await jobs.discard(id)
        }
        return action
    }

    // MARK: - Lists

    private var views: [(label: String, path: String)] {
        [("Users", "users"), ("Jobs", "jobs"), ("Settings", "settings")].map { ($0, Self.path(["view": $1])) }
            + administration.tables.map { ($0.name, Self.path(["view": "table", "table": $0.name])) }
    }

    private func list(_ call: ShowAdminPage, for caller: PageCaller, at now: Date) async throws -> AdminPage {
        let view = call.view ?? AdminView.users.rawValue
        switch AdminView(rawValue: view) {
        case nil: throw ServiceError.notFound("view", view)
        case .users:
            guard let page = Int(call.page ?? "1") else { throw ServiceError.notFound("page", call.page ?? "") }
            return try await users(page: min(max(1, page), 1_000_000), at: now)
        case .sessions: return try await sessions(of: User.ID(call.user ?? ""), at: now)
        case .jobs: return try await jobs(call.state.flatMap(QueuedJob.State.init) ?? .failed)
        case .settings:
            return AdminPage(
                title: "Settings", note: "They are read at the start. An empty value is the default.",
                columns: ["Name", "Value", "Default and meaning"],
                rows: administration.settings.map { AdminPage.Row(cells: [$0.name, $0.value, $0.meaning]) })
        case .table:
            guard let table = administration.tables.first(where: { $0.name == call.table }) else {
                throw ServiceError.notFound("table", call.table ?? "")
            }
            let list = try await store.read { reader in
                try table.administered(after: call.cursor, for: .user(caller.user), in: reader)
            }
            return AdminPage(
                title: table.name, columns: list.columns, rows: list.rows.map { AdminPage.Row(cells: $0) },
                nextPath: list.nextCursor.map {
                    Self.path(["view": "table", "table": table.name, "cursor": $0])
                })
        }
    }

    private func users(page: Int, at now: Date) async throws -> AdminPage {
        let (found, total) = try await store.read { reader in
            let found = try UserTable.page(
                offset: (page - 1) * Self.usersOnPage, limit: Self.usersOnPage, in: reader)
            let rows = try found.users.map { user -> AdminPage.Row in
                let sessions = try Sessions.list(userId: user.id.rawValue, at: now, in: reader).count
                return AdminPage.Row(
                    cells: [
                        user.username, user.role.rawValue, RFC3339.string(from: user.createdAt), "\(sessions)",
                    ],
                    path: Self.path(["view": "sessions", "user": user.id.rawValue]),
                    buttons: sessions == 0
                        ? [] : [.init(action: .endSessions, id: user.id.rawValue, label: "End all sessions")])
            }
            return (rows, found.total)
        }
        return AdminPage(
            title: "Users", note: "\(total) in all", columns: ["Name", "Role", "Created", "Sessions"], rows: found,
            nextPath: page * Self.usersOnPage < total ? Self.path(["view": "users", "page": "\(page + 1)"]) : nil)
    }

    private func sessions(of id: User.ID, at now: Date) async throws -> AdminPage {
        let (user, sessions) = try await store.read { reader in
            (try UserTable.existing(id, in: reader), try Sessions.list(userId: id.rawValue, at: now, in: reader))
        }
        return AdminPage(
            title: "Sessions of \(user.username)", columns: ["Device", "Begun", "Last used"],
            rows: sessions.map { session in
                AdminPage.Row(
                    cells: [session.device] + [session.createdAt, session.lastUsedAt].map(RFC3339.string),
                    buttons: [.init(action: .endSession, id: session.id, label: "End")])
            })
    }

    private func jobs(_ state: QueuedJob.State) async throws -> AdminPage {
        let jobs = try await JobQueue(store: store).list(state: state, limit: Self.mostJobs)
        let words: [QueuedJob.State: String] = [
            .failed: "Set aside", .running: "Running", .ready: "Waiting for its time",
            .behind: "Waiting for another job",
            .arrived: "New",
        ]
        return AdminPage(
            title: "Jobs: \((words[state] ?? "").lowercased())", note: "At most \(Self.mostJobs), the oldest first",
            columns: ["Kind", "Key", "Enqueued", "Due", "Failures", "Last error"],
            rows: jobs.map { job in
                AdminPage.Row(
                    cells: [job.kind, job.key ?? ""] + [job.enqueuedAt, job.dueAt].map(RFC3339.string)
                        + ["\(job.failures) of \(job.attempts)", job.error ?? ""],
                    buttons: state != .failed
                        ? []
                        : [
                            .init(action: .retryJob, id: job.id, label: "Repeat"),
                            .init(action: .discardJob, id: job.id, label: "Discard"),
                        ])
            },
            choices: [QueuedJob.State.failed, .running, .ready, .behind, .arrived].map {
                (words[$0] ?? "", Self.path(["view": "jobs", "state": $0.rawValue]))
            })
    }

    private static func path(_ query: QueryItems) -> String { "\(ShowAdminPage.route.template)?\(query.encoded)" }

    /// The path of what is listed, without what was done before.
    private static func path(_ call: ShowAdminPage) -> String {
        var call = call
        call.done = nil
        let query = (try? call.request().query.encoded) ?? ""
        return ShowAdminPage.route.template + (query.isEmpty ? "" : "?\(query)")
    }
}
