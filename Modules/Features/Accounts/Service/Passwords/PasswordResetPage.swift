import AccountsDomain
import StrataDomain
import StrataService

/// `GET /password-reset`: the form for a new password, or without a token the one that asks for a link. Mail programs open
/// links unasked, so nothing changes here.
struct ShowPasswordResetPage: RoutedEndpoint {
    static let route = Route.get("/password-reset")
    typealias Response = HTMLPage
    static let documentation = EndpointDocumentation(
        details: "The page on which a user sets a new password, with a link from a mail.", problems: disabled)
    static let disabled = [403: ["password_reset_disabled", "sign_in_disabled"]]

    @Query var token: String?
}

/// `POST /password-reset`: the forms of the page.
struct SendPasswordResetPage: RoutedEndpoint {
    static let route = Route.post("/password-reset")
    typealias Response = HTMLPage
    static let documentation = EndpointDocumentation(
        details: "The forms of the page. Failures that a user can mend are pages with status 200.",
        problems: ShowPasswordResetPage.disabled)

    @Body var form: PasswordResetForm
}

/// A name, to ask for a link; or the token of the link, and the new password twice.
struct PasswordResetForm: FormBody {
    var username: String?
    var token: String?
    var password: String?
    var repeated: String?
}

extension AccountsService {
    /// - Throws: 403 while passwords are not reset by mail.
    func showResetPage(_ token: String?, _ scope: RequestScope) async throws -> HTMLPage {
        try checkResets()
        guard let token else { return try page(.askReset(error: nil)) }
        let user = try await user(ofReset: token, scope)
        var page = try self.page(
            user.map { DevicePage.newPassword(token: token, username: $0.username, error: nil) } ?? .deadLink)
        // The token is in the address.
        page.headers["Referrer-Policy"] = "no-referrer"
        return page
    }

    /// Failures that a user can mend are pages. There is no cookie, so a foreign page has no rights to borrow.
    func answer(_ form: PasswordResetForm, _ scope: RequestScope) async throws -> HTMLPage {
        try checkResets()
        guard let token = form.token else { return try await askReset(form.username ?? "", scope) }
        guard let user = try await user(ofReset: token, scope) else { return try page(.deadLink) }
        func again(_ error: String) throws -> HTMLPage {
            try page(.newPassword(token: token, username: user.username, error: error))
        }
        guard form.password == form.repeated else { return try again("The two passwords differ; type them again.") }
        do {
            guard try await reset(token, to: Secret(form.password ?? ""), scope) else { return try page(.deadLink) }
        } catch let error as ServiceError where error.problem.status == 422 {
            let rule = error.problem.errors?.first?.message ?? "cannot be used"
            return try again("The password \(rule).")
        }
        let text = "Log in with it. Every session of the account has ended, on all devices."
        return try page(.result(title: "The new password is set", text: text, leadsToSignIn: true))
    }

    private func askReset(_ username: String, _ scope: RequestScope) async throws -> HTMLPage {
        do { try await requestReset(of: username, scope) } catch let error as ServiceError
            where error.problem.status == 429
        {
            return try page(.askReset(error: error.problem.detail))
        }
        let text = """
            If the account exists and has an address, a mail with a link is under way. Without one, an administrator can set \
            a password.
            """
        return try page(.result(title: "Look at your mails", text: text))
    }
}

extension DevicePage {
    /// For an unknown, a used and an expired token alike.
    fileprivate static let deadLink = askReset(
        error: "This link cannot be used: it has expired, was used, or a newer one was sent. Ask for another one here.")
}
