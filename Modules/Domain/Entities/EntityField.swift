/// One field of an entity: its name on the wire, its rule, and how it is stored and shown.
public struct EntityField<Root>: Sendable {
    /// Name on the wire, in tables and, with spaces, on the terminal: `started_at`.
    public let name: String
    public let kind: FieldKind
    public let isOptional: Bool
    /// No two entities have the same value.
    public private(set) var isUnique = false
    /// The value is left out of lists and logs.
    public private(set) var isRedacted = false
    /// Whether the value may have several lines.
    public let isLong: Bool
    /// The value; `.null` for none.
    public let value: @Sendable (Root) -> JSONValue
    let check: @Sendable (Root, inout FieldCheck) -> Void
    private let empty: (@Sendable (inout Root) -> Void)?

    public init<Value: FieldValue>(
        _ name: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ rule: FieldRule<Value> = .any
    ) {
        self.name = name
        kind = Value.fieldKind
        isOptional = false
        isLong = rule.isLong
        value = { $0[keyPath: path].fieldValue }
        check = { rule.check(name, $0[keyPath: path], &$1) }
        empty = nil
    }

    public init<Value: FieldValue>(
        _ name: String, _ path: any WritableKeyPath<Root, Value?> & Sendable, _ rule: FieldRule<Value> = .any
    ) {
        self.name = name
        kind = Value.fieldKind
        isOptional = true
        isLong = rule.isLong
        value = { $0[keyPath: path]?.fieldValue ?? .null }
        check = { root, check in if let value = root[keyPath: path] { rule.check(name, value, &check) } }
        empty = { $0[keyPath: path] = nil }
    }

    /// The same field, with a different value in every entity.
    public var unique: Self {
        var field = self
        field.isUnique = true
        return field
    }

    /// The same field, shown only on request.
    public var redacted: Self {
        var field = self
        field.isRedacted = true
        return field
    }
}

extension Entity {
    /// The entity without the values of the named fields; a name is as on the wire, or with hyphens.
    ///
    /// - Throws: `.validation` for an unknown field and for a field that must have a value.
    public func clearing(_ names: [String]) throws(DomainError) -> Self {
        var entity = self
        for name in names {
            let wireName = name.split(separator: "-", omittingEmptySubsequences: false).joined(separator: "_")
            guard let field = Self.fields.first(where: { $0.name == wireName }), field.clear(&entity) else {
                let fields = Self.fields.filter(\.isOptional).map(\.name).joined(separator: ", ")
                throw .validation(
                    "'\(name.prefix(40))' cannot be left out; \(fields.isEmpty ? "no field can" : "these can: \(fields)")."
                )
            }
        }
        return entity
    }
}

extension EntityField {
    /// - Returns: Whether the field may be without a value.
    fileprivate func clear(_ root: inout Root) -> Bool {
        empty?(&root)
        return empty != nil
    }
}
