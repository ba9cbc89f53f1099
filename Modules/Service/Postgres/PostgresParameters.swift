import CLibPQ
import FoundationEssentials
import StrataService

/// The values of a statement in libpq's form: numbers and text as text, blobs as bytes.
struct PostgresParameters {
    /// Object ids of the types (pg_type.dat); 0 lets the server infer the type of NULL.
    let types: [Oid]
    private let values: [[UInt8]?]

    /// - Throws: `StoreError.constraint` for text with NUL, which PostgreSQL does not store.
    init(_ values: [StoreValue]) throws {
        types = values.map { value in
            switch value {
            case .null: 0
            case .integer: 20
            case .real: 701
            case .text: 25
            case .blob: 17
            }
        }
        self.values = try values.map { value in
            switch value {
            case .null: return nil
            case .integer(let number): return Array("\(number)".utf8) + [0]
            case .real(let number): return Array(Self.text(number).utf8) + [0]
            case .text(let text):
                guard !text.utf8.contains(0) else { throw StoreError.constraint("text must not contain NUL") }
                return Array(text.utf8) + [0]
            case .blob(let bytes): return Array(bytes)
            }
        }
    }

    private static func text(_ number: Double) -> String {
        number.isNaN ? "NaN" : number.isInfinite ? (number > 0 ? "Infinity" : "-Infinity") : "\(number)"
    }

    /// Tells statements apart that differ in the types of their values.
    var signature: String { types.map { String($0) }.joined(separator: ",") }

    /// - Returns: As `PQsendQueryPrepared`.
    func send(to connection: OpaquePointer, _ name: String) -> CInt {
        let lengths = values.map { CInt($0?.count ?? 0) }
        let formats = types.map { CInt($0 == 17 ? 1 : 0) }
        // One buffer holds all values, so that the pointers stay valid during the call.
        let all = values.flatMap { $0 ?? [] }
        return all.withUnsafeBufferPointer { buffer in
            var place = 0
            let empty = UnsafePointer<CChar>(bitPattern: 1)
            let pointers = values.map { value -> UnsafePointer<CChar>? in
                guard let value else { return nil }
                defer { place += value.count }
                guard let base = buffer.baseAddress else { return empty }
                return UnsafeRawPointer(base + place).assumingMemoryBound(to: CChar.self)
            }
            return PQsendQueryPrepared(connection, name, CInt(values.count), pointers, lengths, formats, 0)
        }
    }
}
