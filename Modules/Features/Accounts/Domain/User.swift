package import FoundationEssentials
package import StrataDomain

/// A person with an account.
package struct User: Resource {
    package typealias ID = Identifier<User>
    package static let noun = "user"
    package static let path = "users"
    package static let deletionProblems = [409: ["last_admin"]]

    package var id: ID
    package var username: String
    package var role: Role
    /// Where mails to the user go; `nil` for none.
    package var email: String?
    package var createdAt: Date
    package var updatedAt: Date

    package init(id: ID, username: String, role: Role, email: String? = nil, createdAt: Date, updatedAt: Date) {
        self.id = id
        self.username = username
        self.role = role
        self.email = email
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension User: SchemaRefining {
    /// A response may name a role that the service has no more.
    package static func refined(_ schema: JSONSchema) -> JSONSchema {
        var schema = schema
        schema.properties["role"] = .text()
        return schema
    }
}

/// The name of a role in the whole service. A service knows `member`, `admin` and those of its own, and a client shows what it gets.
package struct Role: RawRepresentable, Sendable, Hashable, Codable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let member = Role(rawValue: "member")
    package static let admin = Role(rawValue: "admin")
}

extension Role: SchemaDescribing {
    package static func schema(_ recorder: SchemaRecorder) -> JSONSchema { recorder.choice(of: Role.self) }
    package static func placeholder() -> Role { .member }
}

/// A page of the users, by name.
package struct UserPage: Codable, Sendable, Hashable, LinkedPage {
    package var users: [User]
    /// Number of users on all pages.
    package var total: Int
    /// From 1.
    package var page: Int
    /// Users in a full page.
    package var limit: Int

    package init(users: [User], total: Int, page: Int, limit: Int) {
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
