import FoundationEssentials
import NIOCore
import NIOHTTP1
import StrataConcurrency
import StrataDomain
import StrataNetworking

/// Passes interim responses (1xx) to the call that wants them; AsyncHTTPClient drops them. Stands behind the parser of a
/// connection.
final class InterimResponses: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// More than any server sends. Without a limit, they would wait in memory for a slow reader.
    private static let limit = 16

    private let listeners: InterimListeners
    private var listener: InterimListeners.Listener?
    private var count = 0

    init(_ listeners: InterimListeners) { self.listeners = listeners }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        (listener, count) = (nil, 0)
        guard let key = head.headers.first(name: InterimListeners.field), let found = listeners[key] else {
            return context.write(data, promise: promise)
        }
        listener = found
        head.headers.remove(name: InterimListeners.field)
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // 100 answers the expectation of this connection; 101 is final for AsyncHTTPClient.
        if let listener, case .head(let head) = unwrapInboundIn(data), (102..<200).contains(head.status.code) {
            count += 1
            guard count <= Self.limit else {
                self.listener = nil
                context.fireErrorCaught(
                    NetworkError(.invalidResponse("it begins with more than \(Self.limit) interim responses")))
                return context.close(promise: nil)
            }
            listener(ResponseHead(head.status, head.headers))
        }
        context.fireChannelRead(data)
    }
}

/// The calls of one transport that want interim responses.
///
/// AsyncHTTPClient does not tell which connection sends a request. So the request names its listener in a field, which the
/// handler of the connection takes out before the request is encoded.
final class InterimListeners: Sendable {
    typealias Listener = @Sendable (ResponseHead) -> Void

    static let field = "Strata-Interim-Listener"

    private let listeners = Mutex<[String: Listener]>([:])

    subscript(key: String) -> Listener? { listeners.withLock { $0[key] } }

    /// - Returns: The request with its listener named, and the name to `remove`; `nil` when the call wants no interim
    ///   responses.
    func listening(to request: ClientRequest) -> (request: ClientRequest, key: String?) {
        guard let listener = request.context.interim else { return (request, nil) }
        // Random, so that a field of the caller cannot name the listener of another call.
        let key = UUID().uuidString
        listeners.withLock { $0[key] = listener }
        var request = request
        request.headers.add(Self.field, key)
        return (request, key)
    }

    func remove(_ key: String) { listeners.withLock { $0[key] = nil } }
}
