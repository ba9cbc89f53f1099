import AccountsDomain
import FoundationEssentials
import StrataDomain
package import StrataService

/// Login and logout of a browser, with the throttle and the events of `POST /v1/sessions`.
///
/// The form of a login carries no token, because there is no session yet that another site could use. What remains is a login
/// in the name of another user, and `PageRequest.isForeign` refuses it.
extension AccountsService {
    func mountSignIn(on routes: inout APIRoutes) {
        routes.page(ShowSignInPage.self) { call, request in
            let next = self.next(call.next)
            if let caller = try await request.caller() {
                return next == ShowSignInPage.route.template ? try page(.caller(caller)) : .redirect(to: next)
            }
            guard takesUsers else { throw ServiceError.signInDisabled }
            return try formPage(username: "", next: next, error: nil)
        }
        routes.page(SendSignInPage.self) { call, request in try await signIn(call.form, request) }
        routes.page(SendSignOut.self) { call, request in
            // A browser sends no cookie with a form of another site, but it would apply the cookie of the response, which ends the session.
            guard !request.isForeign else { return try foreignForm() }
            let caller = try await request.caller()
            if let caller, !caller.sent(call.form.formToken, request) { return try foreignForm() }
            var (page, cookie) = try await store.write { transaction in
                let cookie = try pageSessions.end(request.cookies, at: request.scope.now, in: transaction)
                let page = try signedOutPage(of: caller, in: transaction)
                return (page ?? .redirect(to: ShowSignInPage.route.template), cookie)
            }
            page.headers.add("Set-Cookie", cookie)
            // Else the button Back shows the last page out of the browser's memory.
            page.headers["Clear-Site-Data"] = "\"cache\""
            return page
        }
    }

    private func signIn(_ form: SignInForm, _ request: PageRequest) async throws -> HTMLPage {
        guard !request.isForeign else { return try foreignForm() }
        let (username, next) = (form.username ?? "", next(form.next))
        do {
            let password = Secret(form.password ?? "")
            let (_, cookie) = try await signIn(username, password, request.scope) { user, transaction in
                try beginPageSession(for: user, request, in: transaction)
            }
            return .redirect(to: next, cookies: [cookie])
        } catch let error as ServiceError where [401, 429].contains(error.problem.status) {
            // 200, as any form that is shown again: a 401 would need a challenge (RFC 9110, section 15.5.2).
            let text = error.problem.detail ?? error.problem.title
            return try formPage(username: username, next: next, error: text)
        }
    }

    private func formPage(username: String, next: String, error: String?) throws -> HTMLPage {
        try page(
            .form(
                username: username, next: next, error: error, takesPassword: allowsSignIn,
                resetsPassword: mailFrom != nil, provider: openIDLink(next: next)))
    }

    private func next(_ path: String?) -> String {
        LocalPath.accepted(path, otherwise: ShowSignInPage.route.template)
    }

    private func page(_ page: SignInPage) throws -> HTMLPage { try self.page(SignInPage.template, page.values) }
}

/// What the pages of this feature share.
extension AccountsService {
    /// The page of a template with its values.
    func page(_ template: PageTemplate, _ values: [String: Any], status: Int = 200) throws -> HTMLPage {
        try template.page(values, of: serviceName, style: pages, status: status)
    }

    /// 403 for a form that no page of the caller's session sent.
    func foreignForm() throws -> HTMLPage { try page(for: .foreignForm) }

    /// What a browser gets in place of a page: the way to `/signin`, or a sentence.
    package func page(for refusal: PageRefusal) throws -> HTMLPage {
        switch refusal {
        case .signedOut(let next):
            let query: QueryItems = ["next": next]
            return .redirect(to: "\(ShowSignInPage.route.template)?\(query.encoded)")
        case .notAdministrator:
            let text = "This page is for administrators. Sign out, and sign in as one."
            return try page(Self.notice, ["title": "Not allowed", "text": text], status: 403)
        case .foreignForm:
            let text =
                "Another site sent this form, or a page of an earlier login. Open the page anew, and send its form again."
            return try page(Self.notice, ["title": "Not accepted", "text": text], status: 403)
        case .failed(let error, let back):
            let text = error.problem.detail ?? error.problem.title
            let fields = (error.problem.errors ?? []).map { "\($0.field): \($0.message)." }
            var values: [String: Any] = [
                "title": back == nil ? "Not shown" : "Not done", "text": ([text] + fields).joined(separator: " "),
            ]
            values["back"] = back
            return try page(Self.notice, values, status: error.problem.status)
        }
    }

    /// A sentence, and the way to `/signin`; with `back`, the way to that path instead.
    static let notice = PageTemplate(
        """
        <p role="alert">{{text}}</p>
        {{#back}}<p><a href="{{back}}">Back</a></p>{{/back}}
        {{^back}}<p><a href="/signin">Who is signed in?</a></p>{{/back}}
        """)
}
