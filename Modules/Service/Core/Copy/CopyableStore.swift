/// A store that lists its tables, so that its whole contents can be copied to another store.
public protocol CopyableStore: Store, CustomStringConvertible {
    /// The tables of the database, in any order, without those of the engine.
    func tables(in reader: any StoreReader) throws -> [StoreTable]

    /// The names of other programs that use the database now; one for each connection. Default: none, for an engine whose
    /// lock keeps other servers out.
    func otherPrograms(in reader: any StoreReader) throws -> [String]
}

extension CopyableStore {
    public func otherPrograms(in reader: any StoreReader) throws -> [String] { [] }
}

/// A table as the catalogue of an engine describes it. All names are in lower case, as every engine finds them.
public struct StoreTable: Sendable, Hashable {
    /// The name of the table.
    public let name: String
    /// In alphabetical order, so that both sides of a copy have the same.
    public let columns: [String]
    /// The columns of the primary key in their order.
    public let key: [String]
    /// The tables that its foreign keys refer to.
    public let parents: [String]

    /// A table, with its key and the tables that must be copied before it.
    public init(_ name: String, columns: [String], key: [String], parents: [String]) {
        self.name = name.lowercased()
        self.columns = columns.map { $0.lowercased() }.sorted()
        self.key = key.map { $0.lowercased() }
        self.parents = Set(parents.map { $0.lowercased() }).sorted()
    }
}

extension [StoreTable] {
    /// The tables of a catalogue.
    ///
    /// - Parameters:
    ///   - columns: One row for each column: `table_name`, `column_name` and `key_place`, the place in the primary key, which
    ///     is `NULL` or negative for other columns.
    ///   - references: One row for each foreign key: `table_name` and `parent_name`.
    public init(columns: [StoreRow], references: [StoreRow]) throws {
        var names: [String: [(name: String, place: Int?)]] = [:]
        for row in columns {
            let place = try row.intIfAny("key_place").flatMap { $0 < 0 ? nil : $0 }
            names[try row.text("table_name"), default: []].append((try row.text("column_name"), place))
        }
        var parents: [String: [String]] = [:]
        for row in references { parents[try row.text("table_name"), default: []].append(try row.text("parent_name")) }
        self = names.map { table, columns in
            let key = columns.filter { $0.place != nil }.sorted { $0.place ?? 0 < $1.place ?? 0 }
            return StoreTable(table, columns: columns.map(\.name), key: key.map(\.name), parents: parents[table] ?? [])
        }
    }

    /// The tables by name, each after those that its foreign keys refer to.
    ///
    /// - Throws: `CopyError.unorderable` for foreign keys in a circle, also from a table to itself.
    func inOrder() throws(CopyError) -> [StoreTable] {
        var waiting = sorted { $0.name < $1.name }
        var order: [StoreTable] = []
        var placed: Set<String> = []
        while let first = waiting.first {
            guard let next = waiting.firstIndex(where: { $0.parents.allSatisfy(placed.contains) }) else {
                throw .unorderable(first.name)
            }
            let table = waiting.remove(at: next)
            placed.insert(table.name)
            order.append(table)
        }
        return order
    }
}
