extension Problem: SchemaRefining {
    /// A server leaves absent members out; none is `null`.
    public static func refined(_ schema: JSONSchema) -> JSONSchema {
        var schema = schema
        schema.properties["code"] = .text()
        return schema
    }
}
