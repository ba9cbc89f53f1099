import StrataDomain

/// A response that writes its JSON as `JSONWritable` does, with a writer that is made once for each endpoint.
protocol PreparedJSON: Sendable {
    /// Appends a value as JSON.
    static var writer: @Sendable (Self, inout JSONText) throws -> Void { get }
}

extension Stored: PreparedJSON {
    /// One member of the object, with its key as it is written.
    private struct Member: Sendable {
        let name: String
        let key: [UInt8]
        let value: @Sendable (Stored) -> JSONValue

        init(_ name: String, _ value: @escaping @Sendable (Stored) -> JSONValue) {
            (self.name, self.value) = (name, value)
            key = Array("\"\(name)\":".utf8)
        }
    }

    static var writer: @Sendable (Stored, inout JSONText) throws -> Void {
        let own: [Member] = [
            Member("id") { .string($0.id.rawValue) }, Member("version") { .integer($0.version) },
            Member("updated_at") { $0.updatedAt.fieldValue },
            Member("author") { $0.author.map(JSONValue.string) ?? .null },
            Member("sync_state") { $0.syncState == .synced ? .null : .string($0.syncState.rawValue) },
        ]
        let fields = Content.fields.map { field in Member(field.name) { field.value($0.content) } }
        let served = Content.servedValues.map { name, value in Member(name) { value($0.content) } }
        let members = (own + fields + served).sorted { $0.name < $1.name }
        return { stored, text in
            var separator: StaticString = "{"
            for member in members {
                let value = member.value(stored)
                if case .null = value { continue }
                text.raw(separator)
                text.raw(member.key)
                try text.value(value)
                separator = ","
            }
            text.raw("}")
        }
    }
}
