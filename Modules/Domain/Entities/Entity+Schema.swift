extension Entity {
    /// The recorded members with the rules of the fields.
    public static func refined(_ schema: JSONSchema) -> JSONSchema {
        var schema = schema
        for field in fields {
            // An `init(from:)` of the entity's own may read a missing or `null` field as its default.
            let allowsNull = field.isOptional || !schema.required.contains(field.name)
            schema.properties[field.name] = allowsNull ? field.schema.orNull : field.schema
        }
        return schema.merging(JSONSchema(["examples": .array([.object(sample)])]))
    }

    /// The name of the entity alone is that of `Stored`.
    public static var schemaName: String { "\(Self.self)Fields" }

    /// Some of the fields, each with its rule; `null` takes a value away.
    public static var changesSchema: JSONSchema {
        .object(
            Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.isOptional ? $0.schema.orNull : $0.schema) })
                .merging(formerSchemas) { own, _ in own }
        ).merging(JSONSchema(["examples": .array([.object(sample)])]))
    }

    /// What programs of the version before get and send, by name on the wire.
    fileprivate static var formerSchemas: [String: JSONSchema] {
        guard hasHistory else { return [:] }
        let renamed = fields.compactMap { field in field.servedName.map { ($0, field.schema) } }
        let removed = removedFields.filter { $0.history.isServed }.map { ($0.name, $0.schema) }
        return Dictionary(renamed + removed) { first, _ in first }
            .mapValues { $0.merging(JSONSchema(["deprecated": .bool(true)])) }
    }

    /// A valid value of each field, by name on the wire.
    fileprivate static var sample: [String: JSONValue] {
        Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.sample(1)) })
            .merging(sampleValues(1)) { _, own in own }
    }
}

extension Stored: SchemaRefining, SchemaNaming {
    /// The fields with their rules, and what the server adds.
    public static func refined(_ schema: JSONSchema) -> JSONSchema {
        var schema = schema
        schema.properties["sync_state"] = nil
        schema.properties.merge(Content.formerSchemas) { own, _ in own }
        for field in Content.fields { schema.properties[field.name] = field.schema }
        if Content.recordsAuthor { schema.properties["author"] = .text() }
        for sent in Content.sentValues {
            schema.properties[sent.name] = sent.makeSchema().merging(JSONSchema(["readOnly": .bool(true)]))
        }
        schema.required = Content.fields.filter { !$0.isOptional }.map(\.name) + ["id", "version", "updated_at"]
        return schema.merging(example.map { JSONSchema(["examples": .array([$0])]) })
    }

    /// The response with a sample, as the server encodes it.
    private static var example: JSONValue? {
        guard let content = try? Content(wireFields: Content.sample) else { return nil }
        let stored = Stored(
            id: .fieldSample(1), content, version: 1, updatedAt: .fieldSample(1),
            author: Content.recordsAuthor ? "ada" : nil)
        return try? WireJSON.decode(JSONValue.self, from: WireJSON.encode(stored))
    }

    public static var schemaName: String { "\(Content.self)" }
}

extension CursorPage: SchemaRefining, SchemaNaming {
    /// The last page has `next_cursor: null`.
    public static func refined(_ schema: JSONSchema) -> JSONSchema {
        var schema = schema
        schema.required = ["items", "next_cursor"]
        return schema
    }

    public static var schemaName: String { "\(SchemaRecorder.name(Item.self))Page" }
}
