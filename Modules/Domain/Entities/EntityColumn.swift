import FoundationEssentials

/// A column of an export. An import reads the columns of an export.
package struct EntityColumn<Content: Entity>: Sendable {
    /// As on the wire.
    package let name: String
    /// `nil` for what the server sets.
    package let field: EntityField<Content>?
    package let value: @Sendable (Stored<Content>) -> JSONValue

    private init(_ name: String, _ value: @escaping @Sendable (Stored<Content>) -> JSONValue) {
        (self.name, field, self.value) = (name, nil, value)
    }

    private init(_ field: EntityField<Content>) {
        (name, self.field, value) = (field.name, field, { field.value($0.content) })
    }

    /// The cell of CSV; `nil` for none.
    package func cell(_ item: Stored<Content>) -> String? {
        let value = value(item)
        if let field { return field.cell(value) }
        return value == .null ? nil : value.filterText
    }

    /// The id, the fields and the version: what an import uses.
    package static var standard: [EntityColumn] {
        [EntityColumn("id") { .string($0.id.rawValue) }] + Content.fields.map(EntityColumn.init)
            + [EntityColumn("version") { .integer($0.version) }]
    }

    /// The standard columns, and those that an import ignores.
    package static var all: [EntityColumn] {
        standard + [
            EntityColumn("updated_at") { $0.updatedAt.fieldValue },
            EntityColumn("author") { $0.author.map { .string($0) } ?? .null },
            EntityColumn("sync_state") { .string($0.syncState.rawValue) },
        ] + Content.sentValues.map { sent in EntityColumn(sent.name) { sent.value($0.content) } }
    }

    /// - Parameter names: As on the wire or with hyphens, separated by commas.
    /// - Throws: `.validation` that names an unknown column.
    package static func named(_ names: String) throws(DomainError) -> [EntityColumn] {
        var columns: [EntityColumn] = []
        for name in names.split(separator: ",", omittingEmptySubsequences: false) {
            let wireName = name.replacing("-", with: "_")
            guard let column = all.first(where: { $0.name == wireName }) else {
                throw .validation(
                    "'\(name.prefix(40))' is no column of \(Content.plural); the columns are \(list(all.map(\.name))).")
            }
            columns.append(column)
        }
        return columns
    }

    static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension EntityField {
    /// The value as a cell of CSV, which `value(ofCell:)` reads back; `nil` for none. What its own text does not tell is JSON.
    package func cell(_ value: JSONValue) -> String? {
        guard value != .null else { return nil }
        let text = value.filterText
        if self.value(ofCell: text) == value { return text }
        return (try? WireJSON.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// - Returns: `nil` for a text of another type.
    package func value(ofCell text: String) -> JSONValue? {
        if kind != .text, text.hasPrefix("[") || text.hasPrefix("{"),
            let value = try? WireJSON.decode(JSONValue.self, from: Data(text.utf8)), accepts(value)
        {
            return value
        }
        return parse(text)
    }
}
