import FoundationEssentials
import Metrics
import NIOCore
import NIOHTTP1
import StrataDomain

/// Watches one connection for what the request level cannot see: requests that never end, readers that do not read,
/// messages that are not HTTP, and the orderly end of a connection.
///
/// It sits right behind the HTTP codec and lives on the connection's event loop.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let limits: ServiceLimits
    private let open: Meter
    private var isCounted = false
    /// Whether each unanswered request lets the connection live on, oldest first.
    private var unanswered: [Bool] = []
    private var isClosing = false
    /// The answer that ends the connection was written; whatever still comes in is dropped.
    private var isLingering = false
    private var isQuiescing = false
    private var readTimer: Scheduled<Void>?
    /// Bytes of the body since `readTimer` was set.
    private var received = 0
    private var writeTimer: Scheduled<Void>?
    private var lastEnd: EventLoopFuture<Void>?

    /// - Parameter open: Counts the connections that are open.
    init(limits: ServiceLimits, open: Meter) {
        self.limits = limits
        self.open = open
    }

    func handlerAdded(context: ChannelHandlerContext) {
        isCounted = true
        open.increment()
    }

    func handlerRemoved(context: ChannelHandlerContext) { ended() }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    private func ended() {
        readTimer?.cancel()
        writeTimer?.cancel()
        if isCounted { open.decrement() }
        isCounted = false
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isLingering else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            unanswered.append(head.isKeepAlive)
            watchRequest(context)
            if head.version == .http1_1,
                head.headers["Expect"].contains(where: { $0.lowercased() == "100-continue" })
            {
                // RFC 9110, section 10.1.1: the client waits with its body for this.
                context.writeAndFlush(
                    wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
            }
        case .body(let bytes): received += bytes.readableBytes
        case .end:
            readTimer?.cancel()
            readTimer = nil
        }
        context.fireChannelRead(data)
    }

    /// Ends the connection when a request does not arrive, unless its body keeps the minimum rate.
    private func watchRequest(_ context: ChannelHandlerContext) {
        readTimer?.cancel()
        received = 0
        let enough = max(1, Int(limits.requestReadTime / .seconds(1) * Double(limits.minimumBodyRate)))
        let here = NIOLoopBound((guard: self, context: context), eventLoop: context.eventLoop)
        readTimer = context.eventLoop.scheduleTask(in: .nanoseconds(limits.requestReadTime.nanoseconds)) {
            let (handler, context) = here.value
            if handler.received >= enough {
                handler.watchRequest(context)
            } else {
                context.close(mode: .all, promise: nil)
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { isQuiescing = true }
        context.fireUserInboundEventTriggered(event)
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            let keepsAlive = unanswered.first ?? false
            if !keepsAlive || isQuiescing { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            isClosing = head.headers["Connection"].contains { $0.lowercased() == "close" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            if !unanswered.isEmpty { unanswered.removeFirst() }
            let written = promise ?? context.eventLoop.makePromise()
            lastEnd = written.futureResult
            context.write(data, promise: written)
            if isClosing { linger(context, after: written.futureResult) }
        }
    }

    /// A close waits until the last answer is on its way, but not for a reader who does not read.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, let lastEnd else { return context.close(mode: mode, promise: promise) }
        let forced = closing(context, after: limits.writeTime)
        let here = NIOLoopBound(context, eventLoop: context.eventLoop)
        lastEnd.whenComplete { _ in
            forced.cancel()
            here.value.close(mode: mode, promise: promise)
        }
    }

    /// Says goodbye first and closes a moment later: closing with unread input would make the kernel take back an
    /// answer that the client has not read yet (RFC 9112, section 9.6).
    private func linger(_ context: ChannelHandlerContext, after written: EventLoopFuture<Void>) {
        isLingering = true
        readTimer?.cancel()
        readTimer = closing(context, after: limits.writeTime)
        let here = NIOLoopBound((guard: self, context: context), eventLoop: context.eventLoop)
        written.whenComplete { _ in
            let (handler, context) = here.value
            context.close(mode: .output, promise: nil)
            handler.readTimer?.cancel()
            handler.readTimer = handler.closing(context, after: .seconds(1))
        }
    }

    // MARK: Slow readers

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        writeTimer?.cancel()
        writeTimer = context.channel.isWritable ? nil : closing(context, after: limits.writeTime)
        context.fireChannelWritabilityChanged()
    }

    private func closing(_ context: ChannelHandlerContext, after time: Duration) -> Scheduled<Void> {
        let here = NIOLoopBound(context, eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: .nanoseconds(time.nanoseconds)) {
            here.value.close(mode: .all, promise: nil)
        }
    }

    // MARK: Messages that are not HTTP

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Behind an answer that is still being made, the request level reports the error in its turn.
        guard unanswered.isEmpty, !isLingering, error is HTTPParserError else {
            return context.fireErrorCaught(error)
        }
        var failure = ServiceError(answering: error)
        failure.problem.requestId = UUID().uuidString.lowercased()
        let bytes = (try? WireJSON.encode(failure.problem)) ?? Data()
        var head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: failure.problem.status))
        head.headers = [
            "Content-Type": MediaType.problem, "Content-Length": "\(bytes.count)", "Cache-Control": "no-store",
            "X-Request-Id": failure.problem.requestId ?? "", "X-Content-Type-Options": "nosniff", "Connection": "close",
        ]
        let written = context.eventLoop.makePromise(of: Void.self)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        linger(context, after: written.futureResult)
    }
}

// Every instance stays on the event loop of its connection.
@available(*, unavailable)
extension ConnectionGuard: Sendable {}
