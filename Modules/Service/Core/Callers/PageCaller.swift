import StrataDomain

/// The user of a page, with the session whose token the forms of the page carry.
public struct PageCaller: Sendable {
    /// The user, with the current name and role.
    public let user: Principal.User
    /// The session of the browser.
    public let session: PageSession

    /// The user of a session.
    public init(user: Principal.User, session: PageSession) { (self.user, self.session) = (user, session) }

    /// The user as routes and tables take a caller.
    public var principal: Principal { .user(user) }

    /// The name of the field with the token of the session.
    static let formField = "form_token"

    /// What each form of a page has to contain: the token of the session, as an invisible field in HTML.
    public var formField: String {
        "<input type=\"hidden\" name=\"\(Self.formField)\" value=\"\(session.formToken)\">"
    }

    /// Whether a form may act for the caller: it comes from a page of this service, and carries the token of this session.
    /// A page for users has checked that; an open page asks.
    public func sent(_ formToken: String?, _ request: PageRequest) -> Bool {
        !request.isForeign && session.accepts(formToken: formToken)
    }

    /// The token in a form, or in its JSON; `nil` without one, or with several.
    static func formToken(in body: RequestBody) -> String? {
        if MediaType.essence(body.contentType) == MediaType.json {
            return (try? WireJSON.decode([String: JSONValue].self, from: body.bytes))?[formField]?.string
        }
        guard let text = String(validating: body.bytes, as: UTF8.self), let items = QueryItems(parsing: text) else {
            return nil
        }
        let tokens = items.values(formField)
        return tokens.count == 1 ? tokens[0] : nil
    }
}

/// Who may open a page that is not open to anyone.
public enum PageAccess: Sendable, Hashable {
    /// Every user who is signed in.
    case users
    /// Every user who may do everything.
    case admins
}

/// Why a browser does not get a page.
public enum PageRefusal: Sendable {
    /// Nobody is signed in with it. After a login it goes on to `next`, a path of this service.
    case signedOut(next: String)
    /// The user is no administrator, and the page is for those.
    case notAdministrator
    /// Another site sent the form, or a page of an earlier login.
    case foreignForm
    /// The page failed with `error`. `back` is the path of the page whose form failed.
    case failed(ServiceError, back: String?)
}
