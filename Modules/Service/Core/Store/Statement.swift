public import FoundationEssentials

/// SQL with bound parameters. Interpolated values are never parsed as SQL: `"SELECT body FROM note WHERE id = \(id)"`.
public struct Statement: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// The SQL between the values; always one more than there are values.
    public private(set) var pieces: [String]
    /// The values of the placeholders, in order.
    public private(set) var values: [StoreValue]

    public init(stringLiteral value: String) {
        pieces = [value]
        values = []
    }

    public init(stringInterpolation: StringInterpolation) {
        pieces = stringInterpolation.pieces
        values = stringInterpolation.values
    }

    /// The SQL with a placeholder for each value; placeholders count from 1.
    public func sql(_ placeholder: (Int) -> String) -> String {
        var sql = pieces[0]
        for index in values.indices { sql += placeholder(index + 1) + pieces[index + 1] }
        return sql
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var pieces = [""]
        fileprivate var values: [StoreValue] = []

        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) { pieces[pieces.count - 1] += literal }

        /// Binds the value to a placeholder.
        public mutating func appendInterpolation(_ value: some StoreConvertible) {
            values.append(value.storeValue)
            pieces.append("")
        }

        /// Binds the value, or `NULL`, to a placeholder.
        public mutating func appendInterpolation(_ value: (some StoreConvertible)?) {
            values.append(value?.storeValue ?? .null)
            pieces.append("")
        }

        /// Values of an `IN` list: `WHERE id IN (\(list: ids))`; an empty list becomes `NULL`, which matches nothing.
        public mutating func appendInterpolation(list: [some StoreConvertible]) {
            guard !list.isEmpty else { return appendLiteral("NULL") }
            for (index, value) in list.enumerated() {
                if index > 0 { appendLiteral(", ") }
                appendInterpolation(value)
            }
        }

        /// Names of tables and columns. They become part of the SQL, so they must never come from input.
        mutating func appendInterpolation(raw sql: String) { appendLiteral(sql) }

        /// A part of a statement, with its values.
        public mutating func appendInterpolation(_ statement: Statement) {
            appendLiteral(statement.pieces[0])
            for (value, piece) in zip(statement.values, statement.pieces.dropFirst()) {
                values.append(value)
                pieces.append(piece)
            }
        }
    }
}

/// A value in a statement or a row.
public enum StoreValue: Sendable, Hashable {
    /// No value.
    case null
    /// A whole number of 64 bits.
    case integer(Int)
    /// A number with a fraction.
    case real(Double)
    /// A text in UTF-8, without NUL.
    case text(String)
    /// Bytes.
    case blob(Data)
}

/// A value that a statement can bind.
public protocol StoreConvertible {
    /// The value that is bound.
    var storeValue: StoreValue { get }
}
extension StoreValue: StoreConvertible { public var storeValue: StoreValue { self } }
extension Int: StoreConvertible { public var storeValue: StoreValue { .integer(self) } }
extension Bool: StoreConvertible { public var storeValue: StoreValue { .integer(self ? 1 : 0) } }
extension Double: StoreConvertible { public var storeValue: StoreValue { .real(self) } }
extension String: StoreConvertible { public var storeValue: StoreValue { .text(self) } }
extension Data: StoreConvertible { public var storeValue: StoreValue { .blob(self) } }
/// Times are stored as milliseconds since 1970, which sort and compare the same in every engine.
extension Date: StoreConvertible {
    public var storeValue: StoreValue { .integer(Int((timeIntervalSince1970 * 1000).rounded())) }
}
