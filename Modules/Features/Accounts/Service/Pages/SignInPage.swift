import StrataDomain
import StrataService

/// `GET /signin`: the form for name and password, or who is signed in.
struct ShowSignInPage: RoutedEndpoint {
    static let route = Route.get("/signin")
    typealias Response = HTMLPage
    static let documentation = EndpointDocumentation(
        details: "The page on which a user signs in with a browser, and out.", problems: [403: ["sign_in_disabled"]],
        statuses: [303: "To `next`, for a browser that is signed in."])

    /// The path of this service to go on with.
    @Query var next: String?
}

/// `POST /signin`: the form of the page.
struct SendSignInPage: RoutedEndpoint {
    static let route = Route.post("/signin")
    typealias Response = HTMLPage
    static let documentation = EndpointDocumentation(
        details: "The form of the page. Failures that a user can mend are pages with status 200.",
        problems: [403: ["sign_in_disabled"]],
        statuses: [303: "Signed in, with a cookie.", 403: "The page, for a form that another site sent."])

    @Body var form: SignInForm
}

/// Name, password, and the path of this service to go on with.
struct SignInForm: FormBody {
    var username: String?
    var password: String?
    var next: String?
}

/// `POST /signout`: ends the session of the browser.
struct SendSignOut: RoutedEndpoint {
    static let route = Route.post("/signout")
    typealias Response = HTMLPage
    static let documentation = EndpointDocumentation(
        details: "Ends the session of the browser.",
        statuses: [
            200: "A page: signed out here, and perhaps not at the OpenID provider.", 303: "Signed out.",
            403: "A page, for a form that another site sent.",
        ])

    @Body var form: SignOutForm
}

/// The token of the session.
struct SignOutForm: FormBody {
    var formToken: String?
}

/// What `/signin` shows.
enum SignInPage: Sendable {
    /// The form for name and password, with the link to `/password-reset` if mails reset passwords, and the link to the OpenID
    /// provider.
    case form(
        username: String, next: String, error: String?, takesPassword: Bool, resetsPassword: Bool,
        provider: OpenIDLink?)
    /// Who is signed in.
    case caller(PageCaller)

    /// The values of the template.
    var values: [String: Any] {
        switch self {
        case .form(let username, let next, let error, let takesPassword, let resetsPassword, let provider):
            var form: [String: Any] = ["username": username, "next": next, "resets": resetsPassword]
            form["error"] = error
            form["password"] = takesPassword ? true : nil
            form["provider"] = provider?.values
            return ["title": "Sign in", "form": form]
        case .caller(let caller):
            let shown: [String: Any] = [
                "name": caller.user.username, "isAdmin": caller.user.isAdmin, "token": caller.session.formToken,
            ]
            return ["title": "Signed in", "caller": shown]
        }
    }

    static let template = PageTemplate(
        """
        {{#form}}
        {{#error}}<p class="error" role="alert">{{error}}</p>{{/error}}
        {{#password}}
        <form method="post" action="/signin">
        <input type="hidden" name="next" value="{{next}}">
        <label for="username">Username</label>
        <input id="username" name="username" value="{{username}}" required maxlength="64" autocomplete="username" \
        autocapitalize="none" spellcheck="false">
        <label for="password">Password</label>
        <input id="password" name="password" type="password" required maxlength="1024" autocomplete="current-password">
        <button type="submit">Sign in</button>
        </form>
        {{#resets}}<p><a href="/password-reset">Forgot your password?</a></p>{{/resets}}
        {{/password}}
        {{#provider}}<p><a class="button" href="{{url}}">Sign in with {{name}}</a></p>{{/provider}}
        {{/form}}
        {{#caller}}
        <p role="status">You are signed in to {{service}} as <strong>{{name}}</strong>.</p>
        {{#isAdmin}}<p><a href="/admin">Administration</a></p>{{/isAdmin}}
        <form method="post" action="/signout">
        <input type="hidden" name="form_token" value="{{token}}">
        <button type="submit" class="plain">Sign out</button>
        </form>
        {{/caller}}
        """)
}
