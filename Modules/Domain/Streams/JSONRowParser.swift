public import FoundationEssentials

/// One JSON value a line (newline-delimited JSON, ndjson.org); empty lines are skipped.
public struct JSONRowParser<Row: Decodable & Sendable>: ChunkParser {
    private var lines: LineBytes
    private let form: JSONForm

    /// - Parameters:
    ///   - limit: Bytes of a row, 1 or more. Default 1 MiB.
    ///   - form: How a row spells its keys and dates. Default: snake_case.
    public init(of row: Row.Type = Row.self, upTo limit: Int = 1 << 20, in form: JSONForm = .snakeCase) {
        self.form = form
        lines = LineBytes(upTo: limit, ends: .lineFeed)
    }

    public mutating func append(_ chunk: Data) { lines.append(chunk) }

    /// - Throws: `.decoding` for a line that is no such row, besides `.invalidResponse`.
    public mutating func next() throws(NetworkError) -> Row? {
        while let line = try lines.next() {
            if let row = try row(line) { return row }
        }
        return nil
    }

    /// The last row, where no line end follows it. A row that was cut is `.decoding`.
    public mutating func finish() throws(NetworkError) -> Row? {
        guard let line = lines.finish() else { return nil }
        return try row(line)
    }

    private func row(_ line: [UInt8]) throws(NetworkError) -> Row? {
        // JSON's own white space (RFC 8259, section 2).
        guard !line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) else { return nil }
        do { return try form.decode(Row.self, from: Data(line)) } catch { throw NetworkError(.decoding(error)) }
    }
}
