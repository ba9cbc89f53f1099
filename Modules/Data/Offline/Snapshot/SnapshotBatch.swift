import FoundationEssentials
import StrataDomain

/// Row lines of a snapshot that are stored in one transaction.
struct SnapshotBatch: Sendable {
    /// Whole row lines, each with its line feed.
    var lines: [UInt8]
    /// The position behind them; `nil` when a large page was cut before its mark.
    var page: String?
    /// The last line; only in the last batch.
    var end: SnapshotEnd?
}

/// Cuts a snapshot into batches as it arrives: one for each page, and more where a page is large, so that memory stays
/// bounded whatever a server sends.
struct SnapshotCutter {
    private var buffer: [UInt8] = []
    /// Everything before is whole row lines.
    private var whole = 0
    /// There is no line feed between `whole` and here.
    private var searched = 0

    /// A batch of this many bytes does not wait for a page mark.
    private static let enough = 2 << 20
    private static let longestLine = 16 << 20

    mutating func append(_ piece: Data) { buffer.append(contentsOf: piece) }

    /// The next batch; `nil` when more bytes are needed.
    ///
    /// - Throws: `.invalidResponse` for a line of another form, or one without an end.
    mutating func next() throws(NetworkError) -> SnapshotBatch? {
        while let lineFeed = lineFeed() {
            if buffer[whole] == UInt8(ascii: "{") { return try marked(upTo: lineFeed) }
            (whole, searched) = (lineFeed + 1, lineFeed + 1)
            if whole >= Self.enough { return taken(upTo: whole) }
        }
        guard buffer.count - whole <= Self.longestLine else {
            throw NetworkError(.invalidResponse("a line of the snapshot is longer than \(Self.longestLine) bytes"))
        }
        return nil
    }

    private mutating func lineFeed() -> Int? {
        let found = buffer.withUnsafeBufferPointer { SnapshotScanner.lineFeed(in: $0, from: searched) }
        if found == nil { searched = buffer.count }
        return found
    }

    private mutating func marked(upTo lineFeed: Int) throws(NetworkError) -> SnapshotBatch {
        let line: SnapshotLine
        do { line = try SnapshotLine(Data(buffer[whole..<lineFeed])) } catch {
            throw NetworkError(.invalidResponse("a line of the snapshot is neither a row nor a page mark"))
        }
        var batch = taken(upTo: lineFeed + 1, leavingOut: lineFeed + 1 - whole)
        switch line {
        case .page(let page):
            try CursorLimit.check(page)
            batch.page = page
        case .end(let end):
            try CursorLimit.check(end.cursor)
            batch.end = end
        case .row: break  // begins with a bracket
        }
        return batch
    }

    private mutating func taken(upTo end: Int, leavingOut mark: Int = 0) -> SnapshotBatch {
        let batch = SnapshotBatch(lines: Array(buffer[..<(end - mark)]))
        buffer.removeSubrange(..<end)
        (whole, searched) = (0, 0)
        return batch
    }
}
