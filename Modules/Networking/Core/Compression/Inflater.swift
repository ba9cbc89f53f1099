import CZlib
import FoundationEssentials
import StrataDomain

/// Undoes one coding piece by piece, in some 100 KB of memory.
final class Inflater {
    private static let pieceSize = 64 * 1024

    private enum Place {
        /// Before the first byte; which kind of deflate it is shows in the first two.
        case start
        case inside
        /// Behind a whole member: the end, or the next one.
        case behind
    }

    private let coding: ContentCoding
    private let limit: Int
    // zlib keeps the address of this structure, so that it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var place = Place.start
    private var input = Data()
    private var made = 0

    /// - Parameter limit: Bytes of output.
    init(_ coding: ContentCoding, limit: Int) {
        self.coding = coding
        self.limit = limit
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func feed(_ bytes: Data) { input.append(bytes) }

    /// The next piece of output; `nil` when more input is needed.
    ///
    /// - Throws: `.invalidResponse` for input that is no such coding, or too much output.
    func next() throws(NetworkError) -> Data? {
        while !input.isEmpty || place == .inside {
            if place == .start {
                guard input.count >= 2 else { return nil }
                try begin()
            } else if place == .behind {
                guard coding == .gzip, inflateReset(stream) == Z_OK else { throw Self.damaged("bytes follow its end") }
                place = .inside
            }
            let piece = try step()
            if !piece.isEmpty { return piece }
            if place == .inside { return nil }
        }
        return nil
    }

    /// - Throws: `.invalidResponse` when the input ended too early. No input at all is empty output.
    func finish() throws(NetworkError) {
        guard place == .behind || place == .start && input.isEmpty else { throw Self.damaged("it ends too early") }
    }

    private func begin() throws(NetworkError) {
        let (first, second) = (Int(input[input.startIndex]), Int(input[input.startIndex + 1]))
        let isEnveloped = first & 15 == 8 && first >> 4 <= 7 && (first << 8 | second).isMultiple(of: 31)
        // zlib's way to name the envelope: 16 more for gzip, negative for none.
        let windowBits: Int32 = coding == .gzip ? 15 + 16 : isEnveloped ? 15 : -15
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, windowBits, ZLIB_VERSION, size) == Z_OK else {
            throw NetworkError(.unexpected("zlib cannot be set up"))
        }
        place = .inside
    }

    private func step() throws(NetworkError) -> Data {
        let capacity = min(Self.pieceSize, max(512, input.count * 8))
        var output = Data(count: capacity)
        let available = input.count
        let status = input.withUnsafeMutableBytes { source in
            output.withUnsafeMutableBytes { target in
                stream.pointee.next_in = source.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_in = UInt32(clamping: source.count)
                stream.pointee.next_out = target.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(target.count)
                return inflate(stream, Z_NO_FLUSH)
            }
        }
        let used = min(available, Int(UInt32(clamping: available))) - Int(stream.pointee.avail_in)
        let count = capacity - Int(stream.pointee.avail_out)
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
        input = input.count == used ? Data() : Data(input.dropFirst(used))
        made += count
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: place = .behind
        default: throw Self.damaged(stream.pointee.msg.map { String(cString: $0) } ?? "zlib error \(status)")
        }
        guard made <= limit else {
            throw NetworkError(.invalidResponse("the compressed body inflates to more than \(limit) bytes"))
        }
        return output.prefix(count)
    }

    private static func damaged(_ why: String) -> NetworkError {
        NetworkError(.invalidResponse("the compressed body is damaged: \(why)"))
    }
}
