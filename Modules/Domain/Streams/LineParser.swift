public import FoundationEssentials

/// The lines of a UTF-8 text, without their ends. Bytes that are not UTF-8 read as U+FFFD, and a byte order mark at the start is
/// dropped (WHATWG Encoding, "UTF-8 decode").
public struct LineParser: ChunkParser {
    private var bytes: LineBytes

    /// - Parameter limit: Bytes of a line, 1 or more. Default 1 MiB.
    public init(upTo limit: Int = 1 << 20) { bytes = LineBytes(upTo: limit, ends: .any) }

    public mutating func append(_ chunk: Data) { bytes.append(chunk) }

    public mutating func next() throws(NetworkError) -> String? {
        try bytes.next().map { String(decoding: $0, as: UTF8.self) }
    }

    /// The last line, where the text does not end with a line end.
    public mutating func finish() throws(NetworkError) -> String? {
        bytes.finish().map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The bytes of lines. One buffer for texts, event streams and rows.
struct LineBytes: Sendable {
    enum Ends: Sendable {
        /// LF, CR, or CR and LF, also where a chunk ends between the two.
        case any
        /// LF; a CR before it belongs to the line.
        case lineFeed
    }

    private let limit: Int
    private let ends: Ends
    /// Bytes that were not looked at.
    private var rest: ArraySlice<UInt8> = []
    /// The beginning of a line.
    private var line: [UInt8] = []
    /// Whether a line feed here belongs to the line end before it.
    private var skipsLineFeed = false
    private var isFirst = true

    init(upTo limit: Int, ends: Ends) {
        self.limit = max(1, limit)
        self.ends = ends
    }

    mutating func append(_ chunk: Data) { rest = rest.isEmpty ? Array(chunk)[...] : rest + chunk }

    /// - Returns: `nil` when the line that has begun needs more bytes.
    mutating func next() throws(NetworkError) -> [UInt8]? {
        if skipsLineFeed, let first = rest.first {
            skipsLineFeed = false
            if first == Self.lineFeed { rest = rest.dropFirst() }
        }
        guard let end = rest.firstIndex(where: isEnd) else {
            try extend(with: rest)
            rest = []
            return nil
        }
        try extend(with: rest[..<end])
        skipsLineFeed = rest[end] == Self.carriageReturn
        rest = rest[(end + 1)...]
        return take()
    }

    /// The line that has begun; `nil` for an empty one.
    mutating func finish() -> [UInt8]? {
        let last = take()
        return last.isEmpty ? nil : last
    }

    private func isEnd(_ byte: UInt8) -> Bool {
        byte == Self.lineFeed || byte == Self.carriageReturn && ends == .any
    }

    private mutating func extend(with bytes: ArraySlice<UInt8>) throws(NetworkError) {
        guard line.count + bytes.count <= limit else {
            throw NetworkError(
                .invalidResponse("a line of the stream is longer than \(limit) bytes; raise the limit 'upTo'"))
        }
        line += bytes
    }

    private mutating func take() -> [UInt8] {
        defer {
            line = []
            isFirst = false
        }
        return isFirst && line.starts(with: Self.byteOrderMark) ? Array(line.dropFirst(3)) : line
    }

    private static let lineFeed: UInt8 = 0x0A
    private static let carriageReturn: UInt8 = 0x0D
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
