package import FoundationEssentials
package import StrataDomain

/// A key for a machine. Few endpoints accept it, and for its own host only.
package struct HostToken: Resource {
    package typealias ID = Identifier<HostToken>
    package static let noun = "host token"
    package static let path = "host-tokens"

    package var id: ID
    /// The host it speaks for.
    package var name: String
    package var createdAt: Date
    package var lastUsedAt: Date?

    package init(id: ID, name: String, createdAt: Date, lastUsedAt: Date?) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}

/// The name of a new host token.
package struct HostTokenDraft: Codable, Sendable {
    package var name: String
    package init(name: String) { self.name = name }

    /// - Throws: `.validation` naming the field.
    package func validated() throws(DomainError) -> HostTokenDraft {
        var check = FieldCheck()
        check.word("name", name, bytes: 1...100)
        try check.orThrow("The host token was not accepted.")
        return self
    }
}

/// A new host token with its key, which only the response to the create has.
package struct NewHostToken: Sendable, Hashable {
    package var token: HostToken
    package var key: Secret?

    package init(_ token: HostToken, key: Secret?) { (self.token, self.key) = (token, key) }
}

extension NewHostToken: Codable {
    private enum CodingKeys: String, CodingKey { case key }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try HostToken(from: decoder),
            key: try container.decodeIfPresent(String.self, forKey: .key).map(Secret.init))
    }

    /// One object.
    package func encode(to encoder: any Encoder) throws {
        try token.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(key?.reveal(), forKey: .key)
    }
}

extension HostTokenDraft: SchemaRefining {
    package static func refined(_ schema: JSONSchema) -> JSONSchema {
        var schema = schema
        schema.properties["name"] = .text(bytes: 1...100, pattern: #"^[^\u0000-\u0020\u007F]*$"#)
        return schema
    }
}
