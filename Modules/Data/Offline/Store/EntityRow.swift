import FoundationEssentials
public import GRDB
public import StrataDomain

/// An entity in a table of its own, which follows from its fields: a column for each.
public struct EntityRow<Content: Entity>: OfflineRow {
    public static var collectionName: String { Content.collection }
    public static var databaseTableName: String { Content.collection }

    /// The id of the entity.
    public let id: String
    /// As on the wire, in the order of the fields.
    private let values: [JSONValue]
    private let author: String?
    private let version: Int
    private let updatedAt: Date

    /// - Throws: `WireFields.Mismatch` for fields that make no entity.
    public init(id: String, fields: WireFields, stamp: RowStamp) throws {
        self.id = id
        values = try Content.fields.map { field in
            var value = fields.values[field.name] ?? .null
            if !field.accepts(value) { value = field.present(value) }
            guard field.accepts(value) else { throw WireFields.Mismatch(field: field.name, expected: field.text) }
            return value
        }
        author = Content.recordsAuthor ? try fields.optionalString("author") : nil
        (version, updatedAt) = (stamp.version, stamp.updatedAt)
    }

    /// - Throws: `.unexpected` for an id, a version or a time of another type: another program changed the file.
    public init(row: Row) throws {
        guard let id = String.fromDatabaseValue(row["id"]), let version = Int.fromDatabaseValue(row["version"]),
            let updatedAt = Int64.fromDatabaseValue(row["updated_at"])
        else {
            throw DomainError.unexpected("A stored \(Content.noun) has an id, a version or a time of another type.")
        }
        (self.id, self.version, self.updatedAt) = (id, version, Date(milliseconds: updatedAt))
        values = Content.fields.map { $0.value(in: row) }
        author = Content.recordsAuthor ? String.fromDatabaseValue(row["author"]) : nil
    }

    public func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        for (field, value) in zip(Content.fields, values) { container[field.column] = field.stored(value) }
        if Content.recordsAuthor { container["author"] = author }
        container["version"] = version
        container["updated_at"] = updatedAt.milliseconds
    }

    func entity(_ state: SyncState?, _ reader: EntityReader<Content>) throws -> Stored<Content> {
        var rest = values[...]
        let content = try reader.entity { _ in rest.popFirst() ?? .null }
        return Stored(
            id: Identifier(id), content, version: version, updatedAt: updatedAt, author: author,
            syncState: state ?? .synced)
    }
}

// MARK: - The table

extension EntityRow {
    /// The table with the fields of version 1, and later fields.
    public static var migrations: [OfflineMigration] {
        let versions = Set(Content.storedFields.map(\.version)).subtracting([1]).sorted()
        return [creation] + versions.map(addition) + Content.historySteps.map { OfflineMigration("history-\($0)", "") }
    }

    public static var presentFields: (@Sendable ([String: JSONValue]) -> [String: JSONValue])? {
        guard Content.hasHistory else { return nil }
        // What this program stored itself is never refused.
        return { fields in (try? Content.present(fields, from: .store)) ?? fields }
    }

    /// `nil` where a column takes values that the field does not.
    public static var columns: [OfflineColumn]? {
        guard !Content.hasHistory,
            Content.fields.allSatisfy({ $0.isPlain && ![.number, .json].contains($0.kind) && !$0.kind.isList })
        else { return nil }
        return Content.fields.map {
            OfflineColumn($0.name, $0.kind, choices: $0.choices, isOptional: $0.isOptional)
        } + (Content.recordsAuthor ? [OfflineColumn("author", .text, isOptional: true)] : []) + [.version, .updatedAt]
    }

    public static var isInSpaces: Bool { Content.ownership == .space }

    public static var references: [OfflineReference] {
        Content.fields.compactMap { field in
            field.reference.map {
                OfflineReference(
                    field.name, to: $0.target.collection, onDelete: $0.onDelete, isOptional: field.isOptional,
                    column: field.column)
            }
        }
    }

    private static var table: String { databaseTableName.quotedDatabaseIdentifier }

    /// No rule that an entity may change stands in the table, because a released migration never changes: a field may become
    /// optional, authors may be recorded later. The index is for the order that lists have in version 1.
    private static var creation: OfflineMigration {
        let fields = Content.storedFields.filter { $0.version == 1 }.map(\.definition)
        let columns =
            ["id TEXT PRIMARY KEY"] + fields + [
                "author TEXT", "version INTEGER NOT NULL", "updated_at INTEGER NOT NULL",
            ]
        return OfflineMigration("1", "CREATE TABLE \(table) (\(columns.joined(separator: ", ")));" + order)
    }

    /// Rows that were written before have no value.
    private static func addition(_ version: Int) -> OfflineMigration {
        let columns = Content.storedFields.filter { $0.version == version }.map {
            "ALTER TABLE \(table) ADD COLUMN \($0.definition);"
        }
        return OfflineMigration("\(version)", columns.joined(separator: "\n"))
    }

    private static var order: String {
        guard let order = EntityQuery<Content>().order, let field = EntityQuery<Content>().sortField, field.version == 1
        else {
            return ""
        }
        let name = "\(Content.collection)_by_\(field.column)".quotedDatabaseIdentifier
        let direction = order.isDescending ? " DESC" : ""
        return
            "\nCREATE INDEX \(name) ON \(table) (\(field.column.quotedDatabaseIdentifier)\(direction), id\(direction));"
    }
}

extension EntityField {
    fileprivate var definition: String {
        let type =
            switch kind {
            case .text, .words, .integers, .numbers, .json: "TEXT"
            case .integer, .flag, .time: "INTEGER"
            case .number: "REAL"
            }
        return "\(column.quotedDatabaseIdentifier) \(type)"
    }
}

// MARK: - Reading

/// Reads entities inside one `OfflineStore.read`.
extension EntityRow {
    static func entity(_ id: Identifier<Content>, in db: Database) throws -> Stored<Content>? {
        let states = try OfflineStore.queueStates(collectionName, ids: [id.rawValue], in: db)
        return try fetchOne(db, key: id.rawValue)?.entity(states[id.rawValue], EntityReader())
    }

    /// Passes every entity to `body`, without holding all in memory.
    static func forEach(
        _ request: QueryInterfaceRequest<Self>, in db: Database, _ body: (Stored<Content>) -> Void
    ) throws {
        let reader = try EntityReader<Content>()
        let rows = try request.fetchCursor(db)
        while case let page = try page(rows), !page.isEmpty {
            // The states of these rows only: the outbox may be much longer.
            let states = try OfflineStore.queueStates(collectionName, ids: page.map(\.id), in: db)
            for row in page { body(try row.entity(states[row.id], reader)) }
        }
    }

    /// The rows of a list in its order. `EntityQuery.entities(of:)` has the same result.
    ///
    /// - Returns: `nil` for a search by a rule of the entity's own, which SQLite does not know.
    static func rows(_ query: EntityQuery<Content>) -> QueryInterfaceRequest<Self>? {
        var rows = Content.fields.reduce(all()) { rows, field in
            let column = Column(field.column)
            var rows = rows
            if case .array(let items)? = query.filters[field.name] {
                let parts = items.compactMap { ListText.part($0, field.kind) }
                rows = rows.filter(parts.map { like(column, $0) }.joined(operator: .and))
            } else if let value = query.filters[field.name] {
                rows = rows.filter(column == field.stored(value))
            }
            return query.lowerBounds[field.name].map { rows.filter(column >= field.stored($0)) } ?? rows
        }
        if let search = query.search {
            guard Content.searchColumn == nil else { return nil }
            let searched = Content.fields.filter(\.isSearchable)
            rows = rows.filter(searched.map { like(Column($0.column), search) }.joined(operator: .or))
        }
        if let limit = query.limit { rows = rows.limit(max(0, limit)) }
        guard let order = query.order, let field = query.sortField else { return rows.order(Column("id").desc) }
        let keys = [Column(field.column), Column("id")].map { order.isDescending ? $0.desc : $0.asc }
        // Rows without a value come last.
        return field.isOptional ? rows.order([(Column(field.column) == nil).asc] + keys) : rows.order(keys)
    }

    /// SQLite's LIKE takes A to Z as a to z, the rule of `EntityQuery.search`; `%` and `_` of the text have no meaning.
    private static func like(_ column: Column, _ part: String) -> SQLExpression {
        let text = part.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
        return column.like("%\(text)%", escape: "\\")
    }

    private static func page(_ rows: RecordCursor<Self>) throws -> [Self] {
        var page: [Self] = []
        while page.count < 500, let row = try rows.next() { page.append(row) }
        return page
    }
}

extension EntityField {
    fileprivate func stored(_ value: JSONValue) -> DatabaseValue {
        switch value {
        case .string(let text):
            kind == .time ? RFC3339.date(from: text).map(\.milliseconds.databaseValue) ?? .null : text.databaseValue
        case .integer(let number): number.databaseValue
        case .number(let number): number.databaseValue
        case .bool(let flag): flag.databaseValue
        case .array(let items): ListText.stored(items, kind)?.databaseValue ?? .null
        case .object: NestedText.stored(value)?.databaseValue ?? .null
        case .null: .null
        }
    }

    /// `.null` for a value of another type.
    fileprivate func value(in row: Row) -> JSONValue {
        let found: JSONValue? =
            switch kind {
            case .text: decoded(String.self, row).map { .string($0) }
            case .integer: decoded(Int.self, row).map { .integer($0) }
            case .number: decoded(Double.self, row).map { .number($0) }
            case .flag: decoded(Bool.self, row).map { .bool($0) }
            case .time: decoded(Int64.self, row).map { .string(RFC3339.string(from: Date(milliseconds: $0))) }
            case .json: decoded(String.self, row).flatMap(NestedText.value)
            case .words, .integers, .numbers:
                decoded(String.self, row).flatMap { ListText.items($0, kind) }.map { .array($0) }
            }
        return found ?? .null
    }

    /// A function of its own: inlined into `value(in:)` it stops the optimiser of Swift 6.3.1.
    @inline(never)
    private func decoded<Value: DatabaseValueConvertible>(_ type: Value.Type, _ row: Row) -> Value? {
        Value.fromDatabaseValue(row[column])
    }
}
