package import StrataDomain

/// A new account, or an account's new state.
package struct UserDraft: Sendable, Hashable {
    package var username: String
    package var role: Role
    /// `nil` keeps the password of an existing account.
    package var password: Secret?
    /// Where mails to the user go. `nil` keeps the address of an existing account, and an empty text removes it.
    package var email: String?

    package init(username: String, role: Role, password: Secret?, email: String? = nil) {
        self.username = username
        self.role = role
        self.password = password
        self.email = email
    }

    /// - Throws: `.validation` naming each field; the text of a password never appears.
    package func validated() throws(DomainError) -> UserDraft {
        var check = FieldCheck()
        check.text("username", username, bytes: 1...64)
        let isPlain = username.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || [0x2D, 0x2E, 0x5F].contains($0)
        }
        if !isPlain { check.refuse("username", "must consist of a-z, 0-9, '.', '_' and '-'") }
        if let password { Self.check(password, as: "password", in: &check) }
        try check.orThrow("The account was not accepted.")
        return self
    }

    /// Refuses a password that no account may get.
    package static func check(_ password: Secret, as field: String, in check: inout FieldCheck) {
        let count = password.reveal().utf8.count
        if !(8...1024).contains(count) { check.refuse(field, "must have 8 to 1024 bytes") }
    }
}

extension UserDraft: Codable {
    private enum CodingKeys: String, CodingKey { case username, role, password, email }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            username: try container.decode(String.self, forKey: .username),
            role: try container.decode(Role.self, forKey: .role),
            password: try container.decodeIfPresent(String.self, forKey: .password).map(Secret.init),
            email: try container.decodeIfPresent(String.self, forKey: .email))
    }

    /// The one place that writes the password: the body of a create or update.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(username, forKey: .username)
        try container.encode(role, forKey: .role)
        try container.encodeIfPresent(password?.reveal(), forKey: .password)
        try container.encodeIfPresent(email, forKey: .email)
    }
}

extension UserDraft: SchemaRefining {
    package static func refined(_ schema: JSONSchema) -> JSONSchema {
        var schema = schema
        schema.properties["username"] = .text(1...64, pattern: "^[a-z0-9._-]+$")
        schema.properties["password"] = .text(8...1024).orNull
        schema.properties["email"] = .text(0...254).orNull
        return schema
    }
}
