import FoundationEssentials
import StrataDomain

/// Programs of the version before: what they send, and what they get.
extension EntityTable {
    /// Of a mutation, also those that this version takes from an older program.
    public var fields: Set<String>? { Set(columns.map(\.name)).union(Content.servedNames) }

    func present(_ mutation: Mutation) throws -> Mutation {
        var mutation = mutation
        mutation.fields = try ServiceError.accepting { () throws(DomainError) in
            try Content.present(mutation.fields, from: .synchronisation)
        }
        return mutation
    }

    /// - Throws: 422 for a field with two values, and for a value that cannot be converted.
    func present(_ fields: [String: JSONValue]) throws -> [String: JSONValue] {
        try ServiceError.accepting { () throws(DomainError) in try Content.present(fields, from: .request) }
    }

    func addServed(of row: StoreRow, to fields: inout [String: JSONValue]) throws {
        for field in Content.fields {
            if let name = field.servedName { fields[name] = fields[field.name] }
        }
        for former in formerColumns where former.isServed {
            let value = try former.column.value(row)
            if value != .null { fields[former.column.name] = value }
        }
    }

    /// The names on the wire of the columns that have several, or none, by the name of the column's field.
    static func servedNames(_ formerColumns: [FormerColumn]) -> [String: [String]] {
        var names: [String: [String]] = [:]
        for field in Content.fields {
            if let name = field.servedName { names[field.name] = [field.name, name] }
        }
        for former in formerColumns where former.isRead && !former.isServed { names[former.column.name] = [] }
        return names
    }
}
