import NIOCore
import NIOHTTP1

/// Writes the whole URL into the request line, as a proxy needs it (RFC 9112, section 3.2.2). Stands behind the parser of a
/// connection to a proxy, for `http` requests.
final class AbsoluteForm: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // AsyncHTTPClient takes the URL of the proxy for that of the request; `Host` names the server.
        guard case .head(var head) = unwrapOutboundIn(data), let host = head.headers.first(name: "Host") else {
            return context.write(data, promise: promise)
        }
        head.uri = "http://\(host)\(head.uri)"
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
