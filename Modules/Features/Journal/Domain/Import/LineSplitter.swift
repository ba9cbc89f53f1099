import FoundationEssentials

/// Cuts a stream of bytes into lines; holds no more than one line.
struct LineSplitter {
    enum Line: Hashable {
        case bytes([UInt8])
        /// Longer than the limit; only its beginning was kept.
        case tooLong([UInt8])
    }

    /// A line of more bytes is not kept.
    let limit: Int
    private var pending: [UInt8] = []
    private var isOverLimit = false
    private var isAtStart = true

    init(limit: Int) { self.limit = limit }

    /// The lines that end in `chunk`, without their line feeds.
    mutating func lines(in chunk: Data) -> [Line] {
        let bytes = [UInt8](chunk)
        var lines: [Line] = []
        var start = 0
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            hold(bytes[start..<end])
            lines.append(take())
            start = end + 1
        }
        hold(bytes[start...])
        return lines
    }

    /// The last line, when the input did not end with a line feed.
    mutating func finish() -> Line? { pending.isEmpty && !isOverLimit ? nil : take() }

    private mutating func hold(_ bytes: ArraySlice<UInt8>) {
        let room = limit - pending.count
        isOverLimit = isOverLimit || bytes.count > room
        pending += bytes.prefix(room)
    }

    private mutating func take() -> Line {
        var bytes = pending
        pending.removeAll(keepingCapacity: true)
        if isAtStart, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }  // a byte order mark
        isAtStart = false
        defer { isOverLimit = false }
        return isOverLimit ? .tooLong(bytes) : .bytes(bytes)
    }
}
