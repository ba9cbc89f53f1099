import FoundationEssentials
import NIOCore
import StrataSystem

/// An incremental parser of `multipart/form-data` (RFC 2046, section 5.1.1, and RFC 7578).
///
/// It buffers at most one buffer of input, one header and one boundary, wherever the input is split. It is strict: lines end
/// in CR LF, and ambiguous input is refused.
struct MultipartScanner {
    enum Event: Sendable, Hashable {
        case part(MultipartHead)
        /// Never empty.
        case bytes(ByteBuffer)
        case endOfPart
        /// The last boundary; only the epilogue may follow.
        case end
    }

    private enum State { case preamble, afterBoundary, header, contentStart, content, closing, epilogue }

    private let limits: MultipartLimits
    /// CR LF, two hyphens and the boundary.
    private let delimiter: [UInt8]
    private var state = State.preamble
    private var buffer: ByteBuffer
    private var parts = 0
    /// Bytes before the first boundary, or after the last.
    private var around = 0

    init(_ boundary: MultipartBoundary, limits: MultipartLimits = MultipartLimits()) {
        self.limits = limits
        delimiter = Array("\r\n--\(boundary.text)".utf8)
        // The first boundary may be the first line.
        buffer = ByteBuffer(bytes: [0x0D, 0x0A])
    }

    /// Bytes kept for the next input.
    var kept: Int { buffer.readableBytes }

    /// Adds input. All events of the input before must have been read.
    mutating func feed(_ piece: ByteBuffer) {
        if buffer.readableBytes == 0 {
            buffer = piece
        } else {
            buffer.discardReadBytes()
            buffer.writeImmutableBuffer(piece)
        }
    }

    /// The next event; `nil` when more input is needed.
    ///
    /// - Throws: 400 naming the wrong part.
    mutating func next() throws -> Event? {
        while true {
            switch state {
            case .preamble:
                guard try skipPreamble() else { return nil }
            case .afterBoundary:
                guard try lineBehindBoundary() else { return nil }
            case .header:
                guard let head = try header() else { return nil }
                return .part(head)
            case .contentStart:
                guard let isEmpty = beginsWithDelimiter() else { return nil }
                if isEmpty { return .endOfPart }
            case .content:
                return content()
            case .closing:
                guard try lineBehindLast() else { return nil }
                return .end
            case .epilogue:
                try skipAround(buffer.readableBytes)
                return nil
            }
        }
    }

    /// Ends the input.
    ///
    /// - Returns: Whether this completed the last boundary, so that `next` has not returned `.end`.
    /// - Throws: 400 without a last boundary.
    mutating func finish() throws -> Bool {
        if case .epilogue = state { return false }
        // The last boundary needs no line end.
        guard case .closing = state, buffer.readableBytesView.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else {
            throw ServiceError.multipart("boundary", "is missing at the end; the form was cut off")
        }
        state = .epilogue
        return true
    }

    // MARK: Around the parts

    private mutating func skipPreamble() throws -> Bool {
        guard let place = find(delimiter) else {
            try skipAround(buffer.readableBytes - startOfDelimiter())
            return false
        }
        try skipAround(place)
        buffer.moveReaderIndex(forwardBy: delimiter.count)
        state = .afterBoundary
        return true
    }

    private mutating func skipAround(_ count: Int) throws {
        around += count
        guard around <= limits.aroundBytes else {
            throw ServiceError.multipart(
                "boundary", "must come within \(limits.aroundBytes) bytes; or too much follows the last")
        }
        buffer.moveReaderIndex(forwardBy: count)
    }

    /// Reads `--`, or the padding and the line end, after a boundary.
    private mutating func lineBehindBoundary() throws -> Bool {
        let view = buffer.readableBytesView
        if view.first == UInt8(ascii: "-") {
            guard view.count >= 2 else { return false }
            guard view[view.startIndex + 1] == UInt8(ascii: "-") else { throw Self.garbled }
            buffer.moveReaderIndex(forwardBy: 2)
            around = 0
            state = .closing
            return true
        }
        guard try endLine() else { return false }
        parts += 1
        guard parts <= limits.parts else {
            throw ServiceError.multipart("body", "must have at most \(limits.parts) parts")
        }
        state = .header
        return true
    }

    private mutating func lineBehindLast() throws -> Bool {
        guard try endLine() else { return false }
        state = .epilogue
        return true
    }

    /// Reads padding and CR LF (RFC 2046: `transport-padding`).
    private mutating func endLine() throws -> Bool {
        let view = buffer.readableBytesView
        let padding = view.prefix { $0 == 0x20 || $0 == 0x09 }.count
        guard padding <= limits.headerBytes else { throw Self.garbled }
        let rest = view.dropFirst(padding)
        guard let first = rest.first else { return false }
        guard first == 0x0D else { throw Self.garbled }
        guard let second = rest.dropFirst().first else { return false }
        guard second == 0x0A else { throw Self.garbled }
        buffer.moveReaderIndex(forwardBy: padding + 2)
        return true
    }

    private static let garbled = ServiceError.multipart(
        "boundary", "must be followed by '--' or by the end of the line, CR LF")

    // MARK: A part

    private mutating func header() throws -> MultipartHead? {
        let view = buffer.readableBytesView
        // Without any header field; `MultipartHead` reports the missing name.
        let isBare = view.starts(with: [0x0D, 0x0A])
        guard let end = isBare ? 0 : find([0x0D, 0x0A, 0x0D, 0x0A]).map({ $0 + 2 }) else {
            try checkLines(view.prefix(limits.headerBytes + 4))
            guard view.count < limits.headerBytes + 4 else { throw headerTooLarge }
            return nil
        }
        guard end <= limits.headerBytes + 2 else { throw headerTooLarge }
        try checkLines(view.prefix(end))
        guard let text = String(validating: view.prefix(end), as: UTF8.self) else {
            throw ServiceError.multipart("header", "must be UTF-8")
        }
        let head = try MultipartHead(text)
        buffer.moveReaderIndex(forwardBy: end + 2)
        state = .contentStart
        return head
    }

    private var headerTooLarge: ServiceError {
        .multipart("header", "must have at most \(limits.headerBytes) bytes")
    }

    /// - Throws: 400 for a CR without LF or an LF without CR. A CR at the end may be followed by LF in the next input.
    private func checkLines(_ view: ByteBufferView) throws {
        var previous: UInt8 = 0
        for byte in view {
            guard (previous == 0x0D) == (byte == 0x0A) else {
                throw ServiceError.multipart("header", "must end its lines in CR LF")
            }
            previous = byte
        }
    }

    /// Whether the content is empty; `nil` when more input is needed. The boundary of an empty content follows the empty line
    /// directly or on its own line.
    private mutating func beginsWithDelimiter() -> Bool? {
        let dashes = delimiter.dropFirst(2)
        let view = buffer.readableBytesView
        if view.starts(with: dashes) {
            buffer.moveReaderIndex(forwardBy: dashes.count)
            state = .afterBoundary
            return true
        }
        if view.count < dashes.count, dashes.starts(with: view) { return nil }
        state = .content
        return false
    }

    private mutating func content() -> Event? {
        guard let place = find(delimiter) else {
            let count = buffer.readableBytes - startOfDelimiter()
            return count > 0 ? buffer.readSlice(length: count).map { .bytes($0) } : nil
        }
        if place > 0, let slice = buffer.readSlice(length: place) { return .bytes(slice) }
        buffer.moveReaderIndex(forwardBy: delimiter.count)
        state = .afterBoundary
        return .endOfPart
    }

    // MARK: Search

    /// The first index of `bytes`. Fast when their first byte is rare.
    private func find(_ bytes: [UInt8]) -> Int? {
        buffer.withUnsafeReadableBytes { readable -> Int? in
            guard let start = readable.baseAddress, let first = bytes.first else { return nil }
            var place = 0
            while place + bytes.count <= readable.count,
                let found = memchr(start + place, CInt(first), readable.count - bytes.count + 1 - place)
            {
                if memcmp(found, bytes, bytes.count) == 0 { return UnsafeRawPointer(found) - start }
                place = UnsafeRawPointer(found) - start + 1
            }
            return nil
        }
    }

    /// How many bytes at the end may be the start of a delimiter.
    private func startOfDelimiter() -> Int {
        let tail = buffer.readableBytesView.suffix(delimiter.count - 1)
        var place = tail.startIndex
        while place < tail.endIndex {
            if tail[place] == 0x0D, delimiter.starts(with: tail[place...]) { return tail.endIndex - place }
            place += 1
        }
        return 0
    }
}
