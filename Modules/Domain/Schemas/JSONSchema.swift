/// A JSON Schema (draft 2020-12) as OpenAPI 3.1 uses it: the keywords by name.
///
/// ```swift
/// JSONSchema.object(["level": .integer(0...9), "text": .text(1...40)], required: ["text"])
/// ```
public struct JSONSchema: Sendable, Hashable {
    /// The members of the schema, by keyword.
    public var keywords: [String: JSONValue]

    /// A schema of these keywords; without any, every value fits.
    public init(_ keywords: [String: JSONValue] = [:]) { self.keywords = keywords }

    /// Every JSON value.
    public static let any = JSONSchema()
    /// `true` or `false`.
    public static let flag = JSONSchema(["type": .string("boolean")])
    /// A number, with or without a fraction.
    public static let number = JSONSchema(["type": .string("number")])
    /// A time as RFC 3339 writes it.
    public static let time = text(format: "date-time")

    /// - Parameters:
    ///   - length: In characters.
    ///   - pattern: A regular expression of ECMA-262.
    public static func text(
        _ length: ClosedRange<Int>? = nil, pattern: String? = nil, format: String? = nil
    ) -> JSONSchema {
        JSONSchema(
            [
                "type": .string("string"), "minLength": length.map { .integer($0.lowerBound) },
                "maxLength": length.map { .integer($0.upperBound) }, "pattern": pattern.map { .string($0) },
                "format": format.map { .string($0) },
            ].compactMapValues { $0 })
    }

    /// Text with a length in UTF-8 bytes. JSON Schema counts characters, which have 1 to 4 bytes; so the shortest text may be
    /// longer than this minimum says.
    public static func text(bytes: ClosedRange<Int>, pattern: String? = nil) -> JSONSchema {
        text((bytes.lowerBound + 3) / 4...bytes.upperBound, pattern: pattern)
    }

    /// What a list is searched for: 1 to 200 bytes without NUL. Each text of the pattern has them; of other texts, those with
    /// few characters beyond ASCII are accepted, too.
    public static let searchText = text(bytes: 1...200, pattern: #"^([\u0001-\u007F]{1,200}|[^\u0000]{1,50})$"#)

    /// The cursor of a list.
    public static let cursor = text(1...4096, pattern: "^[A-Za-z0-9_-]+$")

    /// A whole number, in `range` if there is one.
    public static func integer(_ range: ClosedRange<Int>? = nil, default standard: Int? = nil) -> JSONSchema {
        let bounds = [("minimum", range?.lowerBound), ("maximum", range?.upperBound), ("default", standard)]
        var schema = JSONSchema(["type": .string("integer"), "format": .string("int64")])
        for case (let name, let bound?) in bounds where bound != .min && bound != .max {
            schema.keywords[name] = .integer(bound)
        }
        return schema
    }

    /// One of a few texts.
    public static func choice(_ texts: [String]) -> JSONSchema {
        JSONSchema(["type": .string("string"), "enum": .array(texts.map { .string($0) })])
    }

    /// A list, each element of which fits `items`.
    public static func array(of items: JSONSchema) -> JSONSchema {
        JSONSchema(["type": .string("array"), "items": .object(items.keywords)])
    }

    /// An object. Other members are allowed: a reader ignores what it does not know.
    public static func object(_ properties: [String: JSONSchema] = [:], required: [String] = []) -> JSONSchema {
        var schema = JSONSchema(["type": .string("object")])
        (schema.properties, schema.required) = (properties, required)
        return schema
    }

    /// An object whose members all have this schema.
    public static func map(of values: JSONSchema) -> JSONSchema {
        JSONSchema(["type": .string("object"), "additionalProperties": .object(values.keywords)])
    }

    /// A schema of the document's components.
    public static func reference(_ name: String) -> JSONSchema {
        JSONSchema(["$ref": .string("#/components/schemas/\(name)")])
    }

    /// The members of an object by name.
    public var properties: [String: JSONSchema] {
        get { keywords["properties"]?.object?.compactMapValues { $0.object.map { JSONSchema($0) } } ?? [:] }
        set { keywords["properties"] = newValue.isEmpty ? nil : .object(newValue.mapValues { .object($0.keywords) }) }
    }

    /// The members that an object must have; their order does not matter.
    public var required: [String] {
        get { if case .array(let names)? = keywords["required"] { names.compactMap(\.string) } else { [] } }
        set { keywords["required"] = newValue.isEmpty ? nil : .array(newValue.sorted().map { .string($0) }) }
    }

    /// The same schema, and `null`.
    public var orNull: JSONSchema {
        if case .string(let type)? = keywords["type"] {
            var schema = self
            schema.keywords["type"] = .array([.string(type), .string("null")])
            if case .array(let choices)? = keywords["enum"] { schema.keywords["enum"] = .array(choices + [.null]) }
            return schema
        }
        let null = JSONValue.object(["type": .string("null")])
        return keywords.isEmpty ? self : JSONSchema(["anyOf": .array([.object(keywords), null])])
    }

    /// The same schema with more keywords, which win.
    public func merging(_ other: JSONSchema?) -> JSONSchema {
        guard let other else { return self }
        return JSONSchema(keywords.merging(other.keywords) { _, new in new })
    }

    /// The same schema with a sentence for readers.
    public func described(_ text: String) -> JSONSchema { merging(JSONSchema(["description": .string(text)])) }
}
