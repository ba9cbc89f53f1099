import FoundationEssentials

/// Where fields come from, which may be those of an earlier version.
package enum FieldSource: Sendable {
    /// The body of a request.
    case request
    /// A client with an offline store. The present version sends no former names.
    case synchronisation
    /// What this program, or an earlier version of it, stored itself.
    case store
    /// A response, which has the names of this version, or those of the version before alone.
    case response

    /// Whether it is not about to be refused.
    fileprivate var isAccepted: Bool { self == .store || self == .response }
}

extension Entity {
    /// Whether a field, or a removed one, was another one in an earlier version.
    package static var hasHistory: Bool {
        !removedFields.isEmpty
            || fields.contains {
                !$0.history.formerNames.isEmpty || $0.history.convert != nil || $0.history.origin != nil
            }
    }

    /// The fields that the table has columns for.
    package static var storedFields: [EntityField<Self>] { fields + removedFields }

    /// Names on the wire of the version before, which may be sent.
    package static var servedNames: [String] {
        fields.compactMap(\.servedName) + removedFields.filter(\.history.isServed).map(\.name)
    }

    /// Steps that the database of a client takes once. Those of a removed field may be left out.
    package static var historySteps: [String] {
        storedFields.flatMap(\.history.steps) + removedFields.map { "\($0.name)-removed" }
    }

    /// Fields by the names, and with the values, of this version.
    ///
    /// - Throws: `.validation` for a field of a request that has two different values under its two names, and for a value of an
    ///   older program that cannot be converted.
    package static func present(
        _ fields: [String: JSONValue], from source: FieldSource
    ) throws(DomainError) -> [String: JSONValue] {
        guard hasHistory else { return fields }
        var fields = fields
        for field in Self.fields {
            for name in field.history.formerNames where source.isAccepted || name == field.servedName {
                try take(name, as: field, &fields, source, { $0 }, back: { $0 })
            }
            if let origin = field.history.origin, source.isAccepted || serves(origin.name) {
                try take(origin.name, as: field, &fields, source, origin.forward, back: origin.back)
            }
            if let value = fields[field.name] {
                fields[field.name] = field.converted(value) ?? value
            }
        }
        for field in removedFields where field.history.isServed || source.isAccepted {
            // One that could not be converted is sent, and refused with a sentence.
            if !source.isAccepted || !Self.fields.contains(where: { $0.history.origin?.name == field.name }) {
                fields[field.name] = nil
            }
        }
        return fields
    }

    private static func serves(_ name: String) -> Bool {
        removedFields.contains { $0.name == name && $0.history.isServed }
    }

    private static func take(
        _ name: String, as field: EntityField<Self>, _ fields: inout [String: JSONValue], _ source: FieldSource,
        _ forward: (JSONValue) -> JSONValue?, back: (JSONValue) -> JSONValue
    ) throws(DomainError) {
        // A field of this name that the entity has again is not the former one.
        guard let old = fields[name], !Self.fields.contains(where: { $0.name == name }) else { return }
        if let new = fields[field.name] {
            if source == .response || back(new) == old {
                fields[name] = nil
                return
            }
            // A client that stored both knows the former name only, and has not changed the other value.
            if source == .request {
                throw .validation(
                    "The \(noun) was not accepted.",
                    fields: [
                        FieldError(
                            field: name,
                            message: "is the former name of '\(field.name)' and has another value; send one of them")
                    ])
            }
        }
        if let new = forward(old) {
            fields[name] = nil
            fields[field.name] = new
        } else if !source.isAccepted {
            throw .validation(
                "The \(noun) was not accepted.",
                fields: [FieldError(field: name, message: "has no value as '\(field.name)', which is \(field.text)")])
        }
    }

    /// What programs of the version before get beside the fields, by name.
    package static var servedValues: [(name: String, value: @Sendable (Self) -> JSONValue)] {
        fields.compactMap { field in field.servedName.map { ($0, field.value) } }
            + removedFields.filter { $0.history.isServed && !$0.isOptional }.map { removed in
                let heir = fields.first { $0.history.origin?.name == removed.name }
                guard let heir, let back = heir.history.origin?.back else { return (removed.name, removed.value) }
                return (removed.name, { back(heir.value($0)) })
            }
    }
}

// MARK: - JSON

extension Entity {
    /// The entity of a document with the names of this version, or of the version before.
    static func present(from decoder: any Decoder) throws -> Self {
        guard hasHistory, !(decoder is any RecordingDecoder) else { return try Self(from: decoder) }
        let names = Set(fields.map(\.name) + servedNames)
        // Through a container: the names of a dictionary are data.
        let document = try decoder.singleValueContainer().decode([String: JSONValue].self)
        let given = document.filter { names.contains($0.key) && $0.value != .null }
        return try Self(wireFields: present(given, from: .response).filter { $0.value != .null })
    }

    /// The entity of a body, whose sender may be of the version before.
    ///
    /// - Returns: `nil` for an entity without history, which is read as it is.
    static func presentBody(_ bytes: Data) throws(EndpointError) -> Self? {
        guard hasHistory else { return nil }
        var fields = try BodyReader.json([String: JSONValue].self, bytes)
        do throws(DomainError) { fields = try present(fields, from: .request) } catch {
            guard case .validation(let text, let flaws) = error else {
                throw EndpointError(.malformed, in: .body, key: "body", expected: "readable: \(error)")
            }
            throw EndpointError(
                .malformed, in: .body, key: flaws.first?.field ?? "body",
                expected: "sent once: it \(flaws.first?.message ?? text)")
        }
        for field in Self.fields where field.history.mayLackValue && fields[field.name] == nil {
            fields[field.name] = field.converted(.null)
        }
        do { return try Self(wireFields: fields.filter { $0.value != .null }) } catch {
            let failure = error as? WireJSON.Failure
            throw EndpointError(
                failure?.kind == .missing ? .missing : .malformed, in: .body, key: failure?.path ?? "body",
                expected: failure?.expected ?? "\(error)")
        }
    }

    /// The former names, with the values of `servedValues`.
    func encodeServedValues(to encoder: any Encoder) throws {
        guard Self.hasHistory else { return }
        var container = encoder.container(keyedBy: WireName.self)
        for (name, value) in Self.servedValues {
            let value = value(self)
            if value != .null { try container.encode(value, forKey: WireName(name)) }
        }
    }
}
