/// A row of an import: an entity to create or to change.
package struct ImportRow<Content: Entity>: Sendable {
    /// Where it begins in the file, from 1.
    package let line: Int
    /// `nil` for a new entity.
    package let id: Identifier<Content>?
    /// The version that it was exported with; `nil` to replace every version.
    package let version: Int?
    /// The values that it states, by name on the wire; `.null` takes one away. What it leaves out stays as it is.
    package let fields: [String: JSONValue]
    /// The id of a new entity, or the idempotency key of its creation: equal in each import of the same file.
    package let name: String

    /// What it has a value for.
    package var given: [String: JSONValue] { fields.filter { $0.value != .null } }

    /// What a row does to the entity that is stored.
    package enum Step: Sendable {
        case create(Content)
        case update(Stored<Content>, to: Content)
        /// The entity is as the row says, or an earlier import of the file has created it.
        case none
    }

    /// - Parameter stored: The entity with the id of the row, or with its name; `nil` for none.
    /// - Throws: `.validation` naming each field; `.conflict` when the entity was changed since it was exported.
    package func step(over stored: Stored<Content>?, _ context: NewEntityContext) throws(DomainError) -> Step {
        guard let stored else { return .create(try Content(fields: Content.completed(given, context)).validated()) }
        guard id != nil else { return .none }
        let content = try stored.content.changing(fields)
        guard content != stored.content else { return .none }
        if let version, version < stored.version {
            throw .conflict(
                "The \(Content.noun) '\(stored.id)' has version \(stored.version), and the row was made of version \(version). "
                    + "Export it again, or leave out the column 'version' to replace it.")
        }
        return .update(stored, to: try content.validated())
    }
}

/// What became of a row.
package enum ImportOutcome: Sendable, Hashable {
    case created, updated, unchanged
    /// It was not stored. The others of the file are not concerned.
    case refused(DomainError)

    /// - Throws: An error that concerns the other rows, too.
    package init(
        _ store: () async throws(DomainError) -> ImportOutcome
    ) async throws(DomainError) {
        do throws(DomainError) { self = try await store() } catch { self = try Self.refusal(error) }
    }

    package static func refusal(_ error: DomainError) throws(DomainError) -> ImportOutcome {
        switch error.kind {
        case .validation, .conflict, .notFound: return .refused(error)
        default: throw error
        }
    }
}

/// A value of a file that no entity can have.
package struct ImportFlaw: Sendable, Hashable, Codable {
    /// From 1.
    package var line: Int
    /// As on the wire; `nil` where it is the whole row.
    package var column: String?
    /// At most 80 characters; `nil` for none, and for one that lists leave out.
    package var value: String?
    /// The rest of a sentence that begins with the column: `must be a whole number`.
    package var reason: String

    package init(line: Int, column: String? = nil, value: String? = nil, reason: String) {
        self.line = line
        self.column = column
        self.value = value.map { $0.count > 80 ? $0.prefix(79) + "…" : $0 }
        self.reason = reason
    }
}
