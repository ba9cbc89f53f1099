extension Entity {
    /// The fields of a new entity, with the values of those that are left out. `null` is no value.
    ///
    /// - Parameter fields: By name on the wire.
    public static func completed(_ fields: [String: JSONValue], _ context: NewEntityContext) -> [String: JSONValue] {
        var fields = fields
        for field in Self.fields where field.initial != nil && (fields[field.name] ?? .null) == .null {
            fields[field.name] = field.initial?(context)
        }
        return fields
    }

    /// The entity with other values in some fields; a name is as on the wire.
    ///
    /// - Parameter changes: `.null` takes a value away.
    /// - Throws: `.validation` for a field that must have a value, and for one that is given and taken away.
    public func changing(_ changes: [String: JSONValue]) throws(DomainError) -> Self {
        let fields = try wireFields().merging(changes) { _, new in new }.filter { $0.value != .null }
        return try Self(fields: fields)
    }

    /// - Throws: `.validation` that names the first field that is missing or of another type; rules are not checked.
    public init(fields: [String: JSONValue]) throws(DomainError) {
        do { try self.init(wireFields: fields) } catch let failure as WireJSON.Failure {
            let flaw = FieldError(field: failure.path, message: "must be \(failure.expected)")
            throw .validation("The \(Self.noun) was not accepted.", fields: [flaw])
        } catch { throw .unexpected("The \(Self.noun) cannot be made of its fields: \(error)") }
    }

    /// A valid entity for tests and documents.
    ///
    /// - Parameter onlyRequired: Without the optional fields. Default: every field has a value.
    public static func sample(_ number: Int = 1, onlyRequired: Bool = false) throws(DomainError) -> Self {
        let own = sampleValues(number)
        // A row stays in its space.
        let isInSpaces = ownership == .space
        let fields = fields.filter { !onlyRequired || !$0.isOptional }.map {
            ($0.name, own[$0.name] ?? $0.sample(isInSpaces && $0.name == Ownership.spaceField ? 1 : number))
        }
        return try Self(fields: Dictionary(fields) { first, _ in first })
    }

    /// The name on the wire of an optional field, or of a list, which may be empty.
    ///
    /// - Parameter name: As on the wire, or with hyphens.
    /// - Throws: `.validation` for an unknown field and for a field that must have a value.
    public static func optionalField(_ name: String) throws(DomainError) -> String {
        let wireName = name.replacing("-", with: "_")
        if fields.contains(where: { $0.name == wireName && $0.mayBeCleared }) { return wireName }
        let names = fields.filter(\.mayBeCleared).map(\.name).joined(separator: ", ")
        throw .validation(
            "'\(name.prefix(40))' cannot be left out; \(names.isEmpty ? "no field can" : "these can: \(names)").")
    }
}
