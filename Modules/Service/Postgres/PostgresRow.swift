import CLibPQ
import FoundationEssentials
import StrataService

/// Reads rows of a result in text format.
enum PostgresRow {
    /// The place of each column name.
    static func columns(_ result: OpaquePointer) -> [String: Int] {
        var columns: [String: Int] = [:]
        for place in 0..<PQnfields(result) {
            guard let name = PQfname(result, place).map({ String(cString: $0) }), columns[name] == nil else { continue }
            columns[name] = Int(place)
        }
        return columns
    }

    static func row(_ number: CInt, of result: OpaquePointer, _ columns: [String: Int]) throws -> StoreRow {
        StoreRow(columns: columns, values: try (0..<PQnfields(result)).map { try value(number, $0, of: result) })
    }

    private static func value(_ row: CInt, _ column: CInt, of result: OpaquePointer) throws -> StoreValue {
        guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else { return .null }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
        switch PQftype(result, column) {
        case Types.bool: return .integer(bytes.first == UInt8(ascii: "t") ? 1 : 0)
        case Types.int2, Types.int4, Types.int8:
            guard let number = Int(String(decoding: bytes, as: UTF8.self)) else { break }
            return .integer(number)
        case Types.numeric:
            // A sum of integers.
            let text = String(decoding: bytes, as: UTF8.self)
            if let number = Int(text) { return .integer(number) }
            guard let number = Double(text) else { break }
            return .real(number)
        case Types.float4, Types.float8:
            guard let number = Double(String(decoding: bytes, as: UTF8.self)) else { break }
            return .real(number)
        case Types.bytea:
            var length = 0
            guard let plain = PQunescapeBytea(UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), &length)
            else { throw StoreError.unavailable("out of memory") }
            defer { PQfreemem(plain) }
            return .blob(Data(bytes: plain, count: length))
        default: return .text(String(decoding: bytes, as: UTF8.self))
        }
        throw StoreError.failed("a value of the database cannot be read")
    }

    /// Object ids (pg_type.dat).
    private enum Types {
        static let bool: Oid = 16
        static let bytea: Oid = 17
        static let int8: Oid = 20
        static let int2: Oid = 21
        static let int4: Oid = 23
        static let float4: Oid = 700
        static let float8: Oid = 701
        static let numeric: Oid = 1700
    }
}
