/// A new entity as a client sends it. The server gives values to fields that are left out where the entity says so.
public struct EntityDraft<Content: Entity>: Sendable, Hashable, Codable {
    /// Chosen by the sender, for an entity that accepts ids.
    public var id: Identifier<Content>?
    /// By name on the wire.
    public var fields: [String: JSONValue]

    /// A new entity with these fields; without an id the server makes one.
    public init(_ fields: [String: JSONValue], id: Identifier<Content>? = nil) {
        (self.fields, self.id) = (fields, id)
    }

    private enum IDKey: String, CodingKey { case id }

    public init(from decoder: any Decoder) throws {
        // Through a container: the names of a dictionary are data.
        fields = try decoder.singleValueContainer().decode([String: JSONValue].self)
        // Few senders choose the id.
        guard Content.acceptsIDs, fields.removeValue(forKey: IDKey.id.rawValue) != nil else { return }
        id = try decoder.container(keyedBy: IDKey.self).decodeIfPresent(Identifier<Content>.self, forKey: .id)
    }

    public func encode(to encoder: any Encoder) throws {
        var all = fields
        if let id { all[IDKey.id.rawValue] = .string(id.rawValue) }
        var container = encoder.singleValueContainer()
        try container.encode(all)
    }
}

extension EntityDraft: SchemaDescribing {
    public static func placeholder() -> EntityDraft { EntityDraft([:]) }

    /// That of the entity, where the fields with a value for new entities may be left out.
    public static func schema(_ recorder: SchemaRecorder) -> JSONSchema {
        guard Content.acceptsIDs || Content.fields.contains(where: { !$0.isOptional && $0.mayBeOmitted }) else {
            return recorder.schema(of: Content.self)
        }
        var schema = Content.changesSchema
        for field in Content.fields where field.mayBeOmitted { schema.properties[field.name] = field.schema.orNull }
        schema.required = Content.fields.filter { !$0.mayBeOmitted }.map(\.name)
        if Content.acceptsIDs { schema.properties["id"] = Identifier<Content>.rule.orNull }
        return schema
    }
}
