import NIOCore

/// Reads the reason phrases of responses as their bytes pass, because SwiftNIO's parser drops them.
///
/// Stands before the parser, on the same event loop, and keeps at most one status line.
// Sendable proof: a channel handler lives on its channel's event loop, as does the connection that asks it.
final class StatusLineTap: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum Place {
        /// In a status line.
        case line([UInt8])
        /// In the fields of an interim response; the length of the line so far.
        case fields(Int)
        /// Behind the final status line: nothing more to see.
        case past
    }

    private static let longestLine = 1024
    private var place = Place.past
    private var reasons: [String] = []

    /// Says that the next bytes are a status line.
    func expect() {
        place = .line([])
        reasons = []
    }

    /// The reason of the head that was parsed last; `nil` when it could not be read.
    func next() -> String? { reasons.isEmpty ? nil : reasons.removeFirst() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        look(at: unwrapInboundIn(data))
        context.fireChannelRead(data)
    }

    private func look(at buffer: ByteBuffer) {
        for byte in buffer.readableBytesView {
            switch place {
            case .past: return
            case .line(var line):
                if byte == UInt8(ascii: "\n") {
                    end(line)
                } else {
                    place = .past
                    line.append(byte)
                    if line.count <= Self.longestLine { place = .line(line) }
                }
            case .fields(let length):
                switch byte {
                case UInt8(ascii: "\r"): break
                case UInt8(ascii: "\n"): place = length == 0 ? .line([]) : .fields(0)
                default: place = .fields(length + 1)
                }
            }
        }
    }

    /// `HTTP/1.1 200 reason`
    private func end(_ line: [UInt8]) {
        let text = line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]
        let parts = text.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[1].count == 3 else {
            place = .past
            return
        }
        reasons.append(parts.count == 3 ? String(decoding: parts[2], as: UTF8.self) : "")
        place = parts[1].first == UInt8(ascii: "1") ? .fields(0) : .past
    }
}
