public import FoundationEssentials

/// A row of a result; columns are read by name and type.
public struct StoreRow: Sendable {
    private let columns: [String: Int]
    private let values: [StoreValue]

    /// - Parameter columns: Place of each column name in `values`; shared by all rows of a result.
    public init(columns: [String: Int], values: [StoreValue]) {
        self.columns = columns
        self.values = values
    }

    /// The text of the column; throws for `NULL` and for another type.
    public func text(_ column: String) throws -> String {
        guard case .text(let value) = try value(column) else { throw mismatch(column, "text") }
        return value
    }

    /// The whole number of the column; throws for `NULL` and for another type.
    public func int(_ column: String) throws -> Int {
        guard case .integer(let value) = try value(column) else { throw mismatch(column, "an integer") }
        return value
    }

    /// A number; some engines store whole numbers as integers.
    public func double(_ column: String) throws -> Double {
        switch try value(column) {
        case .real(let value): return value
        case .integer(let value): return Double(value)
        default: throw mismatch(column, "a number")
        }
    }

    /// Whether the number of the column is not 0.
    public func bool(_ column: String) throws -> Bool { try int(column) != 0 }

    /// The bytes of the column; throws for `NULL` and for another type.
    public func blob(_ column: String) throws -> Data {
        guard case .blob(let value) = try value(column) else { throw mismatch(column, "a blob") }
        return value
    }

    /// The time of the column, which has milliseconds since 1970.
    public func date(_ column: String) throws -> Date {
        Date(timeIntervalSince1970: Double(try int(column)) / 1000)
    }

    /// The text of the column; `nil` for `NULL`.
    public func textIfAny(_ column: String) throws -> String? { try isNull(column) ? nil : text(column) }
    /// The whole number of the column; `nil` for `NULL`.
    public func intIfAny(_ column: String) throws -> Int? { try isNull(column) ? nil : int(column) }
    /// The time of the column; `nil` for `NULL`.
    public func dateIfAny(_ column: String) throws -> Date? { try isNull(column) ? nil : date(column) }
    /// Whether the column has no value.
    public func isNull(_ column: String) throws -> Bool { try value(column) == .null }

    /// An upper bound of the bytes of the row as a JSON object.
    var jsonSize: Int {
        let names = columns.keys.reduce(2) { $0 + $1.utf8.count + 4 }
        return values.reduce(names) { $0 + $1.jsonSize }
    }

    /// The values of some columns, in their order.
    func values(of columns: [String]) throws -> [StoreValue] { try columns.map(value) }

    subscript(place: Int) -> StoreValue { values[place] }

    func value(_ column: String) throws -> StoreValue {
        guard let place = columns[column] else { throw mismatch(column, "a column of the result") }
        return values[place]
    }

    private func mismatch(_ column: String, _ expected: String) -> StoreError { .column(column, expected: expected) }
}

extension StoreValue {
    fileprivate var jsonSize: Int {
        switch self {
        case .null: 4
        case .integer, .real: JSONSize.number
        case .text(let text): JSONSize.of(text)
        case .blob(let bytes): bytes.count / 3 * 4 + 6
        }
    }
}
