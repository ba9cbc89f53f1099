import Crypto
import FoundationEssentials

/// The number of rows of a table and a SHA-256 over them, equal on every engine for equal contents.
public struct TableDigest: Sendable, Hashable {
    /// The name of the table.
    public let table: String
    /// The rows of the table.
    public let rows: Int
    /// In hexadecimal digits.
    public let sha256: String

    /// Reads the whole table, in the order of its key.
    init(of table: StoreTable, in reader: any StoreReader) throws {
        var (hash, rows, bytes) = (SHA256(), 0, [UInt8]())
        let statement: Statement =
            "SELECT \(raw: table.sqlColumns) FROM \(raw: table.sqlName) ORDER BY \(raw: table.sqlKey)"
        try reader.forEachRow(of: statement) { row in
            rows += 1
            for value in try row.values(of: table.columns) { value.append(to: &bytes) }
            if bytes.count >= 1 << 16 {
                hash.update(data: bytes)
                bytes.removeAll(keepingCapacity: true)
            }
            return true
        }
        hash.update(data: bytes)
        self.table = table.name
        self.rows = rows
        sha256 = hash.finalize().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}

extension StoreValue {
    /// Appends a letter for the type, then the value; texts and blobs begin with their length, so that no two rows have the
    /// same bytes.
    fileprivate func append(to bytes: inout [UInt8]) {
        func append(_ type: Unicode.Scalar, _ number: UInt64) {
            bytes.append(UInt8(ascii: type))
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
        switch self {
        case .null: bytes.append(UInt8(ascii: "n"))
        case .integer(let number): append("i", UInt64(bitPattern: Int64(number)))
        case .real(let number): append("r", number.bitPattern)
        case .text(let text):
            append("t", UInt64(text.utf8.count))
            bytes.append(contentsOf: text.utf8)
        case .blob(let data):
            append("b", UInt64(data.count))
            bytes.append(contentsOf: data)
        }
    }
}
