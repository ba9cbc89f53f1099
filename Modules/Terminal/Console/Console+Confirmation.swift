extension Console {
    /// Prints the result of a change: `ID  result`, or `{"id", "result"}`.
    public func confirm(_ id: String, _ result: String) throws {
        if isJSON { return try jsonOfChange(["id": id, "result": result] as JSONDocument) }
        outOfChange(Text(SafeText.oneLine(id), .bold) + Text("  \(result)"))
    }

    /// Lines of `name  value`, the names aligned.
    public func fields(_ fields: [(name: String, value: String)]) {
        let width = fields.map(\.name.count).max() ?? 0
        for field in fields {
            let padding = String(repeating: " ", count: width - field.name.count + 2)
            out(Text(field.name, .dim) + Text(padding + field.value))
        }
    }
}
