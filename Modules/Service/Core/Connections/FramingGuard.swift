import NIOCore
import NIOHTTP1
import StrataHTTP

/// Refuses input that the parser would read without an end: a first line without a version, and bodies that are mostly
/// framing.
///
/// It sits before the HTTP codec and reports to the `ConnectionGuard` behind it.
final class FramingGuard: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let requests: ConnectionGuard
    private var firstLine: FirstLine? = FirstLine()
    private var isRefused = false

    /// Framing bytes a request may have: chunk sizes, chunk extensions and trailers. Eight more are allowed for each byte of
    /// content, because the smallest chunks need them.
    private static let framing = 64 * 1024

    init(before requests: ConnectionGuard) { self.requests = requests }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused, !requests.isLingering else { return }
        let bytes = unwrapInboundIn(data)
        requests.receives(bytes)
        let line = firstLine?.scan(bytes.readableBytesView)
        if line != nil { firstLine = nil }
        context.fireChannelRead(data)
        if line == .unversioned {
            refuse(context, .invalidVersion)
        } else if requests.framing > Self.framing {
            refuse(context, .invalidChunkSize)
        }
    }

    private func refuse(_ context: ChannelHandlerContext, _ error: HTTPParserError) {
        // The parser may have reported the error before.
        guard !requests.isLingering else { return }
        isRefused = true
        context.fireErrorCaught(error)
    }

    /// The first line of a connection. One without a version is HTTP/0.9, for whose end the parser waits.
    private struct FirstLine {
        enum Verdict { case versioned, unversioned }

        private var last: [UInt8] = []

        /// - Returns: `nil` before the end of the line.
        mutating func scan(_ bytes: ByteBufferView) -> Verdict? {
            var bytes = bytes
            if last.isEmpty { bytes = bytes.drop { $0 == 0x0D || $0 == 0x0A } }
            let end = bytes.firstIndex(of: 0x0A)
            last = (last + bytes[..<(end ?? bytes.endIndex)].suffix(9)).suffix(9)
            guard end != nil else { return nil }
            if last.last == 0x0D { last.removeLast() }
            let version = last.suffix(8)
            return version.starts(with: "HTTP/".utf8) && version.count == 8 ? .versioned : .unversioned
        }
    }
}

// Every instance stays on the event loop of its connection.
@available(*, unavailable)
extension FramingGuard: Sendable {}

extension ByteBuffer {
    /// Whether the bytes begin with a token and a space, as a request line does (RFC 9112, section 3).
    var beginsWithMethod: Bool {
        let start = readableBytesView.prefix(32)
        guard let end = start.firstIndex(of: 0x20), end > start.startIndex else { return false }
        return start[..<end].allSatisfy(\.isTokenByte)
    }
}
