import NIOCore
import NIOHTTP1
import StrataDomain
import StrataNetworking

/// One connection of a client: its requests, one after the other.
// Sendable proof: a channel handler lives on its channel's event loop; what is not NIO's call goes there first.
final class ServerConnection: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    let channel: any Channel
    private let relay: Relay
    /// The request under way, from its head to the end of the answer.
    private(set) var work: Task<Void, Never>?
    /// How many requests there were.
    private var count = 0
    private var body: BodyInlet?
    private var gate = ReadGate()
    private var unwritten = 0
    private var isRetired = false
    /// Whether an answer has begun and not ended.
    private var isAnswering = false
    /// Nothing can be read or written any more.
    private var isOver = false

    init(_ channel: any Channel, relay: Relay) {
        self.channel = channel
        self.relay = relay
    }

    /// Ends the connection after the request under way.
    func retire() {
        channel.eventLoop.execute {
            self.isRetired = true
            if self.work == nil { self.channel.close(promise: nil) }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head)
        case .body(let buffer):
            if body?.take(buffer) == false { gate.hold() }
        case .end:
            body?.finish()
            body = nil
        }
    }

    private func begin(_ head: HTTPRequestHead) {
        let loop = channel.eventLoop
        let (inlet, chunks) = BodyInlet.open { loop.execute { if self.gate.open() { self.channel.read() } } }
        body = inlet
        let writer = ResponseWriter(channel, for: head, isLast: isRetired)
        count += 1
        work = Task { [relay, count] in
            await relay.answer(head, body: chunks, through: writer)
            loop.execute { self.end(count, isReusable: writer.isReusable) }
        }
    }

    private func end(_ number: Int, isReusable: Bool) {
        guard isReusable else { return channel.close(promise: nil) }
        // The next request may have begun already: it was there when this answer ended.
        guard number == count else { return }
        work = nil
        // A body that nobody read to its end is not a beginning of the next request.
        if isRetired || body != nil { channel.close(promise: nil) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // What comes late must not reach SwiftNIO's handlers, which take a second answer for a defect.
        guard !isOver else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(let head): isAnswering = head.status.code >= 200
        case .body: break
        case .end: isAnswering = false
        }
        unwritten += 1
        let promise = promise ?? channel.eventLoop.makePromise()
        promise.futureResult.whenComplete { _ in self.unwritten -= 1 }
        context.write(data, promise: promise)
    }

    func read(context: ChannelHandlerContext) {
        if gate.mayRead() { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        abandon()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isRefused = error is HTTPParserError && !isOver && !isAnswering && channel.isActive
        abandon()
        if isRefused {
            let head = HTTPResponseHead(
                version: .http1_1, status: .badRequest, headers: ["Connection": "close", "Content-Length": "0"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
        channel.close(promise: nil)
    }

    /// Ends the request under way: first its task, which then tells nobody that the body broke off.
    private func abandon() {
        isOver = true
        work?.cancel()
        body?.fail(NetworkError(.connectionLost("the client closed the connection")))
        body = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
        // Waiting for the origin is no silence of the client's; not sending and not taking is.
        let isWaitingForOrigin = work != nil && unwritten == 0 && (body == nil || gate.isClosed)
        if !isWaitingForOrigin { channel.close(promise: nil) }
    }
}
