public import StrataDomain

/// An authenticated caller.
public enum Principal: Sendable, Hashable {
    /// A person who has logged in.
    case user(User)
    /// A host with a token. Only endpoints for `usersAndHosts` accept it. `name` is its host name.
    case host(tokenId: String, name: String)

    /// A person, as its token says.
    public struct User: Sendable, Hashable {
        /// The id of the person.
        public var id: String
        /// The name with which the person logs in.
        public var username: String
        /// What the person may do.
        public var role: UserRole
        /// The session (refresh token family) of the access token.
        public var sessionId: String

        /// A person with the session `sessionId`.
        public init(id: String, username: String, role: UserRole, sessionId: String) {
            self.id = id
            self.username = username
            self.role = role
            self.sessionId = sessionId
        }

        /// An administrator or a member.
        public init(id: String, username: String, isAdmin: Bool, sessionId: String) {
            self.init(id: id, username: username, role: isAdmin ? .admin : .member, sessionId: sessionId)
        }

        /// Whether the person may do everything.
        public var isAdmin: Bool { role == .admin }
    }

    /// A stable name, unique over users and hosts: the owner of idempotency keys and rate limits.
    public var key: String {
        switch self {
        case .user(let user): "user:\(user.id)"
        case .host(let tokenId, _): "host:\(tokenId)"
        }
    }

    /// Whether the caller is a person who may do everything.
    public var isAdmin: Bool { if case .user(let user) = self { user.isAdmin } else { false } }

    /// Whether the caller's role in the whole service allows `action` with rows of `collection`; a host has none, and may. `Visibility`
    /// asks it for every row of an entity; what has no entity asks it itself.
    public func may(_ action: RowAction, _ collection: String) -> Bool {
        if case .user(let user) = self { user.role.may(action, collection) } else { true }
    }

    /// For what has no entity, with any word for the collection:
    ///
    ///     try scope.caller().require(.create, "reports")
    ///
    /// - Throws: 403 when the caller's role does not allow `action` with rows of `collection`.
    public func require(_ action: RowAction, _ collection: String) throws(ServiceError) {
        guard case .user(let user) = self, !user.role.may(action, collection) else { return }
        throw .forbidden(
            "Your role '\(user.role.name)' does not let you \(action.rawValue) \(collection.replacing("_", with: " ")); ask an "
                + "administrator for another role.")
    }

    /// Allows users any host, and a host only itself.
    ///
    /// - Throws: 403 naming both.
    public func requireHost(_ host: String) throws(ServiceError) {
        if case .host(_, let name) = self, host != name {
            throw .forbidden(
                "This key speaks for the host '\(name)' and not for '\(host.prefix(255))'; leave the host out, or use the key of "
                    + "that host.")
        }
    }

    /// The name for display.
    public var name: String {
        switch self {
        case .user(let user): user.username
        case .host(_, let name): name
        }
    }
}

/// The callers that an endpoint allows.
public enum Access: Sendable, Hashable {
    /// Everybody, also without a credential.
    case anyone
    /// Every person who has logged in.
    case users
    /// Every person who may do everything.
    case admins
    /// Users, and hosts with a token.
    case usersAndHosts
}

/// Turns credentials into a principal. The accounts feature implements it.
public protocol Authenticator: Sendable {
    /// - Throws: `ServiceError` 401 with the reason.
    func principal(bearer token: String) async throws -> Principal
    /// - Throws: `ServiceError` 401 with the reason.
    func principal(apiKey: String) async throws -> Principal
    /// Who the token is known to speak for without a read, if the session is still as it was; the first read of the request asks the
    /// database. Default: `nil`, and `principal(bearer:)` is called.
    ///
    /// - Throws: `ServiceError` 401 with the reason.
    func expected(bearer token: String) async throws -> ExpectedPrincipal?
    /// The user of the browser that asks for a page, with the current name and role; `nil` without a login. Default: `nil`. An
    /// authenticator that wraps another one must call it there.
    func caller(of request: PageRequest) async throws -> PageCaller?
    /// The page in place of one that a browser does not get. Default: it throws the error with the same reason.
    func page(for refusal: PageRefusal) throws -> HTMLPage
}

extension Authenticator {
    public func expected(bearer token: String) async throws -> ExpectedPrincipal? { nil }
    public func caller(of request: PageRequest) async throws -> PageCaller? { nil }

    public func page(for refusal: PageRefusal) throws -> HTMLPage {
        switch refusal {
        case .signedOut: throw ServiceError.unauthorized("Log in first.")
        case .notAdministrator: throw ServiceError.forbidden("Only administrators may do this.")
        case .foreignForm: throw ServiceError.forbidden("Open the page anew, and send its form again.")
        case .failed(let error, _): throw error
        }
    }
}
