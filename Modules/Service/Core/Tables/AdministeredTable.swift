import FoundationEssentials
import StrataDomain

/// A table whose rows a page shows to administrators. A feature names its tables in `FeatureService.administered`.
public protocol AdministeredTable: Sendable {
    /// Its collection, such as `orders`.
    var name: String { get }
    /// A page of the rows that `caller` sees, in the order of their list.
    ///
    /// - Throws: 400 for a cursor of another list.
    func administered(
        after cursor: String?, for caller: Principal, in store: any StoreReader
    ) throws -> AdministeredRows
}

/// Rows as text.
public struct AdministeredRows: Sendable {
    /// The names of the values.
    public let columns: [String]
    /// The values of each row, as long as they are stored; empty where there is none.
    public let rows: [[String]]
    /// Where the next page begins; `nil` on the last.
    public let nextCursor: String?

    /// A page of rows.
    public init(columns: [String], rows: [[String]], nextCursor: String?) {
        (self.columns, self.rows, self.nextCursor) = (columns, rows, nextCursor)
    }
}

extension EntityTable: AdministeredTable {
    public func administered(
        after cursor: String?, for caller: Principal, in store: any StoreReader
    ) throws -> AdministeredRows {
        let query = EntityQuery<Content>(limit: min(50, Content.largestPage))
        let page = try page(query, after: cursor, for: caller, in: store)
        let list = try WireJSON.decode(JSONValue.self, from: Data(page.text.bytes))
        guard case .array(let items)? = list.object?["items"] else {
            return AdministeredRows(columns: [], rows: [], nextCursor: nil)
        }
        let names = ["id"] + columns.map(\.name) + ["updated_at"]
        let rows = try items.map { item in try names.map { try item.object?[$0]?.shown ?? "" } }
        return AdministeredRows(columns: names, rows: rows, nextCursor: page.nextCursor)
    }
}

extension JSONValue {
    /// Text as it is; any other value as JSON, and none as nothing.
    fileprivate var shown: String {
        get throws {
            switch self {
            case .string(let text): text
            case .null: ""
            default: String(decoding: try WireJSON.encode(self), as: UTF8.self)
            }
        }
    }
}
