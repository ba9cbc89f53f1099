package import AccountsDomain
package import FoundationEssentials
package import StrataDomain

/// Credentials of a first-party sign-in (RFC 9700, section 2.4 forbids the password grant to third parties).
package struct Credentials: Codable, Sendable {
    package var username: String
    package var password: String
    /// What the session is listed as.
    package var device: String?

    package init(username: String, password: String, device: String?) {
        self.username = username
        self.password = password
        self.device = device
    }
}

/// Tokens as RFC 6749, section 5.1, names them.
package struct TokenPayload: Codable, Sendable {
    package var accessToken: String
    /// Always `Bearer`.
    package var tokenType: String
    /// Seconds until the access token expires.
    package var expiresIn: Int
    package var refreshToken: String

    package init(accessToken: String, expiresIn: Int, refreshToken: String) {
        self.accessToken = accessToken
        tokenType = "Bearer"
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
    }
}

/// RFC 6749, section 6; as a form or as JSON.
package struct RefreshGrant: FormBody {
    /// Must be `refresh_token`.
    package var grantType: String?
    package var refreshToken: String?

    package init(refreshToken: String) {
        grantType = "refresh_token"
        self.refreshToken = refreshToken
    }
}

/// RFC 7009, section 2.1; as a form or as JSON.
package struct Revocation: FormBody {
    package var token: String?
    package var tokenTypeHint: String?

    package init(token: String) { self.token = token }
}

package struct SessionPayload: Codable, Sendable, Hashable {
    package var id: Session.ID
    package var device: String
    package var createdAt: Date
    package var lastUsedAt: Date
    package var current: Bool

    package init(_ session: Session) {
        id = session.id
        device = session.device
        createdAt = session.createdAt
        lastUsedAt = session.lastUsedAt
        current = session.isCurrent
    }

    package var session: Session {
        Session(id: id, device: device, createdAt: createdAt, lastUsedAt: lastUsedAt, isCurrent: current)
    }
}

package struct UserPayload: Codable, Sendable, Hashable {
    package var id: User.ID
    package var username: String
    package var role: Role
    package var createdAt: Date
    package var updatedAt: Date

    package init(_ user: User) {
        id = user.id
        username = user.username
        role = user.role
        createdAt = user.createdAt
        updatedAt = user.updatedAt
    }

    package var user: User {
        User(id: id, username: username, role: role, createdAt: createdAt, updatedAt: updatedAt)
    }
}

/// `password` may be left out when an existing account is replaced.
package struct UserDraftPayload: Codable, Sendable {
    package var username: String
    package var role: Role
    package var password: String?

    package init(_ draft: UserDraft) {
        username = draft.username
        role = draft.role
        password = draft.password?.reveal()
    }

    package var draft: UserDraft { UserDraft(username: username, role: role, password: password.map(Secret.init)) }
}

package struct UserPagePayload: Codable, Sendable, Hashable, LinkedPage {
    package var users: [UserPayload]
    package var total: Int
    package var page: Int
    /// Users in a full page.
    package var limit: Int

    package init(users: [UserPayload], total: Int, page: Int, limit: Int) {
        self.users = users
        self.total = total
        self.page = page
        self.limit = limit
    }

    package var nextPageQuery: [String: String]? {
        let (seen, overflow) = page.multipliedReportingOverflow(by: limit)
        return !overflow && seen < total ? ["page": String(page + 1), "limit": String(limit)] : nil
    }
}

package struct HostTokenPayload: Codable, Sendable, Hashable {
    package var id: HostToken.ID
    package var name: String
    package var createdAt: Date
    package var lastUsedAt: Date?
    /// Only in the answer to the create.
    package var key: String?

    package init(_ token: HostToken, key: Secret? = nil) {
        id = token.id
        name = token.name
        createdAt = token.createdAt
        lastUsedAt = token.lastUsedAt
        self.key = key?.reveal()
    }

    package var hostToken: HostToken {
        HostToken(id: id, name: name, createdAt: createdAt, lastUsedAt: lastUsedAt)
    }
}

package struct HostTokenDraft: Codable, Sendable {
    package var name: String
    package init(name: String) { self.name = name }
}

/// `{"items": […]}` for lists that are short by nature.
package struct ListPayload<Item: Codable & Sendable>: Codable, Sendable {
    package var items: [Item]
    package init(items: [Item]) { self.items = items }
}
