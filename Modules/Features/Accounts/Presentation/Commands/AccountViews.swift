import AccountsDomain
import FoundationEssentials
import StrataDomain

// What programs get, named as on the wire.

struct UserView: Encodable {
    var id: String
    var username: String
    var role: Role
    var createdAt: Date
    var updatedAt: Date

    init(_ user: User) {
        id = user.id.rawValue
        username = user.username
        role = user.role
        createdAt = user.createdAt
        updatedAt = user.updatedAt
    }
}

struct SessionView: Encodable {
    var id: String
    var device: String
    var createdAt: Date
    var lastUsedAt: Date
    var current: Bool

    init(_ session: Session) {
        id = session.id.rawValue
        device = session.device
        createdAt = session.createdAt
        lastUsedAt = session.lastUsedAt
        current = session.isCurrent
    }
}

struct HostTokenView: Encodable {
    var id: String
    var name: String
    var createdAt: Date
    var lastUsedAt: Date?
    /// Only right after the token was created.
    var key: String?

    init(_ token: HostToken, key: Secret? = nil) {
        id = token.id.rawValue
        name = token.name
        createdAt = token.createdAt
        lastUsedAt = token.lastUsedAt
        self.key = key?.reveal()
    }
}
