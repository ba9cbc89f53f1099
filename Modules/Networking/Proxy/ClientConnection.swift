import NIOCore
import NIOHTTP1
import StrataDomain

#if !All
    #error("StrataProxy needs the trait 'All': name it in 'traits:' where your Package.swift names Strata.")
#endif

/// The rules of a client's connection that Hummingbird leaves to others: HTTP/1.0, responses to `HEAD`, interim responses, and
/// when the connection closes.
///
/// Stands behind the parser, where the version of a request is known.
final class ClientConnection: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Triggered on the channel to send an interim response (1xx) to the request that is answered now.
    struct InterimResponse {
        let status: HTTPResponseStatus
        let fields: HeaderFields
    }

    /// A request whose response has not been written to its end.
    private struct Exchange {
        let version: HTTPVersion
        let isHead: Bool
        /// Whether the connection closes after the response.
        var isLast: Bool
        /// Whether the request has arrived to its end.
        var isReceived = false
        var hasResponseHead = false
    }

    private let work: CurrentWork
    /// In the order of the requests; a client may send the next before it has the response to the first.
    private var exchanges: [Exchange] = []
    private var isDraining = false

    init(_ work: CurrentWork) { self.work = work }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var data = data
        switch unwrapInboundIn(data) {
        case .head(var head):
            let isOld = head.version.minor == 0
            if isOld, head.headers["Host"].isEmpty {
                // HTTP/1.0 needs no host. `Relay`, which does not know the version, refuses a request without one.
                head.headers.add(name: "Host", value: "")
                data = wrapInboundOut(.head(head))
            }
            let isLast = isDraining || isOld || !head.isKeepAlive || head.method == .CONNECT
            exchanges.append(
                Exchange(version: isOld ? .http1_0 : .http1_1, isHead: head.method == .HEAD, isLast: isLast))
        case .body: break
        case .end:
            if !exchanges.isEmpty { exchanges[exchanges.count - 1].isReceived = true }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head): context.write(wrapOutboundOut(.head(finalHead(head))), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end: end(context, data, promise)
        }
    }

    private func finalHead(_ head: HTTPResponseHead) -> HTTPResponseHead {
        // Without an exchange it is Hummingbird's 400 to a request that could not be parsed.
        guard !exchanges.isEmpty else { return head }
        exchanges[0].hasResponseHead = true
        var head = head
        // SwiftNIO's encoder sends no chunks to HTTP/1.0: there the body ends with the connection.
        head.version = exchanges[0].version
        if exchanges[0].isLast { head.headers.add(name: "Connection", value: "close") }
        return head
    }

    private func end(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        let exchange = exchanges.isEmpty ? nil : exchanges.removeFirst()
        // SwiftNIO's encoder would end the response to HEAD with an empty chunk if it has no Content-Length.
        let last = exchange?.isHead == true ? wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))) : data
        context.writeAndFlush(last, promise: promise)
        // The rest of a request that was not read must not pass for the beginning of the next.
        let isReusable = exchange.map { !$0.isLast && $0.isReceived } ?? false
        if !isReusable { context.close(promise: nil) }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let interim = event as? InterimResponse else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        promise?.succeed()
        // RFC 9110, section 15.2: a client of HTTP/1.0 knows no interim response. After the final head it is too late.
        guard let exchange = exchanges.first, exchange.version == .http1_1, !exchange.hasResponseHead else { return }
        let headers = HTTPHeaders(interim.fields.map { ($0.name, $0.value) })
        let head = HTTPResponseHead(version: .http1_1, status: interim.status, headers: headers)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed:
            // A client that closes its side wants no response.
            work.end()
            context.close(promise: nil)
        case is ChannelShouldQuiesceEvent:
            isDraining = true
            for place in exchanges.indices { exchanges[place].isLast = true }
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        work.end()
        context.fireChannelInactive()
    }
}
