import NIOCore
import NIOHTTP1
import StrataHTTP

/// NIO's request decoder, which continues after a request that offers an upgrade.
///
/// NIO's decoder stops after such a request, because another protocol could begin there. This service ignores the offer
/// (RFC 9110, section 7.8), so another HTTP/1.1 request follows, and a new decoder reads it.
final class RequestDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    private let limits: NIOHTTPDecoderLimitConfiguration
    private let requests: ConnectionGuard
    private var decoder: HTTPRequestDecoder

    /// - Parameter requests: Gets the decoded requests, and tells which of them stopped the decoder.
    init(limits: NIOHTTPDecoderLimitConfiguration, before requests: ConnectionGuard) {
        self.limits = limits
        self.requests = requests
        decoder = HTTPRequestDecoder(limitConfiguration: limits)
    }

    func decoderAdded(context: ChannelHandlerContext) { decoder.decoderAdded(context: context) }

    func decoderRemoved(context: ChannelHandlerContext) { decoder.decoderRemoved(context: context) }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        repeat {
            _ = try decoder.decode(context: context, buffer: &buffer)
            guard requests.takeUpgradeOffer() else { break }
            decoder.decoderRemoved(context: context)
            decoder = HTTPRequestDecoder(limitConfiguration: limits)
            decoder.decoderAdded(context: context)
        } while buffer.readableBytes > 0
        return .needMoreData
    }

    func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        try decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    }
}

// Every instance stays on the event loop of its connection.
@available(*, unavailable)
extension RequestDecoder: Sendable {}

/// Whether a request offers another protocol in `Upgrade`, as NIO's decoder understands it.
enum UpgradeOffer: Sendable, Hashable {
    /// The decoder continues.
    case none
    /// The decoder stops after the request.
    case made
    /// Whether the decoder stops is not certain, so the connection must close after the response.
    case unclear

    init(_ headers: HTTPHeaders) {
        self = .none
        guard headers.contains(name: "Upgrade") else { return }
        let options = (headers["Connection"] + headers["Proxy-Connection"]).map { $0.lowercased() }
        guard options.contains(where: { $0.contains("upgrade") }) else { return }
        let isPlain =
            !headers["Upgrade"].contains(where: \.isEmpty)
            && options.allSatisfy { option in
                option.utf8.allSatisfy { $0.isTokenByte || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ",") }
            }
        let names = options.flatMap { $0.split(separator: ",") }.map { $0.split(separator: " ") }
        self = isPlain && names.contains(["upgrade"]) ? .made : .unclear
    }
}
