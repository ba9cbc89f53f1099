import Foundation
import StrataDomain

/// The records of a JSON text sequence, each after a record separator (RFC 7464).
struct RecordParser: ChunkParser {
    typealias Element = String

    private var record = Data()
    private var rest = Data()

    mutating func append(_ chunk: Data) { rest += chunk }

    mutating func next() throws(NetworkError) -> String? {
        while let end = rest.firstIndex(of: 0x1E) {
            let whole = record + rest[..<end]
            (record, rest) = (Data(), Data(rest[(end + 1)...]))
            if !whole.isEmpty { return String(decoding: whole, as: UTF8.self) }
        }
        record += rest
        rest = Data()
        guard record.count <= 1 << 20 else { throw NetworkError(.invalidResponse("a record is larger than 1 MiB")) }
        return nil
    }

    mutating func finish() throws(NetworkError) -> String? {
        record.isEmpty ? nil : String(decoding: record, as: UTF8.self)
    }
}
