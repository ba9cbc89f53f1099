package import FoundationEssentials

/// Cuts CSV (RFC 4180) into records; holds no more than one.
///
/// A record ends with CRLF or LF. A byte order mark is skipped. A record with a flaw ends at the next line feed, so that the ones after
/// it are read.
package struct CSVReader: Sendable {
    /// A value of a record.
    package struct Cell: Sendable, Hashable {
        package let text: String
        /// Whether it is in quotes, which tells an empty text from no value.
        package let isQuoted: Bool
    }

    package struct Record: Sendable, Hashable {
        /// Where it begins, from 1.
        package let line: Int
        /// None for an empty line.
        package let cells: [Cell]
        /// Why it cannot be read: the rest of a sentence that begins with the line. `nil` for none.
        package let flaw: String?
    }

    private enum Place {
        /// Before the first byte of a cell.
        case start
        case plain, quoted
        /// After the quote that closes a cell, or the first of two that stand for one.
        case closed
        /// After a flaw: everything up to the end of the line is skipped.
        case broken
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let mostCells = 10_000

    /// A record of more bytes is not kept.
    private let limit: Int
    private var place = Place.start
    /// Of the present cell.
    private var bytes: [UInt8] = []
    private var isQuoted = false
    private var cells: [Cell] = []
    /// Bytes of the record.
    private var size = 0
    /// A carriage return outside of quotes waits for its line feed.
    private var hasReturn = false
    private var flaw: String?
    private var line = 1
    private var recordLine = 1
    /// Bytes of the mark that were read; `nil` after the beginning of the text.
    private var marked: Int? = 0

    /// - Parameter limit: Most bytes of a record. Default: 16 MiB.
    package init(limit: Int = 1 << 24) { self.limit = limit }

    /// The records that end in `chunk`.
    package mutating func records(in chunk: Data) -> [Record] {
        var records: [Record] = []
        for byte in chunk {
            if let count = marked {
                if byte == Self.mark[count] {
                    marked = count + 1 < Self.mark.count ? count + 1 : nil
                    continue
                }
                endMark()
            }
            if let record = take(byte) { records.append(record) }
        }
        return records
    }

    /// The last record, when the text does not end with a line feed.
    package mutating func finish() -> Record? {
        endMark()
        if place == .quoted { fail("has a quote that is not closed") }
        guard place != .start || !cells.isEmpty || hasReturn else { return nil }
        return endRecord()
    }

    /// The bytes so far are no mark but the beginning of the text.
    private mutating func endMark() {
        guard let count = marked else { return }
        marked = nil
        // None of them is a line feed.
        for byte in Self.mark.prefix(count) { _ = take(byte) }
    }

    private mutating func take(_ byte: UInt8) -> Record? {
        let isLineFeed = byte == UInt8(ascii: "\n")
        if isLineFeed { line += 1 }
        if place == .quoted {
            if byte == UInt8(ascii: "\"") { place = .closed } else { append(byte) }
            return nil
        }
        if isLineFeed { return endRecord() }
        if hasReturn { fail("has a carriage return outside of quotes") }
        switch (byte, place) {
        case (_, .broken): break
        case (UInt8(ascii: "\r"), _): hasReturn = true
        case (UInt8(ascii: ","), _): endCell()
        case (UInt8(ascii: "\""), .start): (place, isQuoted) = (.quoted, true)
        case (UInt8(ascii: "\""), .closed):
            append(byte)
            place = .quoted
        case (UInt8(ascii: "\""), _):
            fail("has a quote inside of a value; put the value in quotes and write \"\" for it")
        case (_, .closed): fail("has text after the quote that closes a value")
        default:
            append(byte)
            place = .plain
        }
        return nil
    }

    private mutating func append(_ byte: UInt8) {
        if count() { bytes.append(byte) }
    }

    /// Counts a byte of the record; whether there is room for it.
    private mutating func count() -> Bool {
        size += 1
        if size > limit, flaw == nil { flaw = "is longer than \(limit) bytes" }
        return size <= limit
    }

    private mutating func fail(_ reason: String) {
        if flaw == nil { flaw = reason }
        place = .broken
    }

    private mutating func endCell() {
        let text = String(validating: bytes, as: UTF8.self)
        if text == nil, flaw == nil { flaw = "is not UTF-8 in column \(cells.count + 1)" }
        if cells.count >= Self.mostCells, flaw == nil { flaw = "has more than \(Self.mostCells) columns" }
        if count(), cells.count < Self.mostCells { cells.append(Cell(text: text ?? "", isQuoted: isQuoted)) }
        bytes.removeAll(keepingCapacity: true)
        (place, isQuoted) = (.start, false)
    }

    private mutating func endRecord() -> Record {
        let isEmpty = place == .start && cells.isEmpty && flaw == nil
        if !isEmpty { endCell() }
        defer {
            cells = []
            (place, size, hasReturn, flaw, recordLine) = (.start, 0, false, nil, line)
        }
        return Record(line: recordLine, cells: cells, flaw: flaw)
    }
}
