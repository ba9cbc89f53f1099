import FoundationEssentials
import NIOCore
import NIOHTTP1
import StrataDomain
import StrataSystem

/// Handles what the request level cannot see of a connection: requests that never end, `100 Continue`, messages that are
/// not HTTP, and the close of the connection.
///
/// It sits behind the HTTP codec, on the event loop of the connection.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let limits: ServiceLimits
    private let connection: Connection

    /// A request without a complete response.
    private struct Exchange {
        let isKeepAlive: Bool
        /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1).
        var awaitsContinue: Bool
    }

    /// Oldest first.
    private var unanswered: [Exchange] = []
    /// Between the head and the end of a request.
    private var isReceiving = false
    /// Whether the rest of a large body stays in the kernel, until the request is accepted or has a response.
    private var isHolding = false
    /// Whether a read was asked for meanwhile.
    private var hasHeldRead = false
    /// Between the head and the end of a response.
    private var isResponding = false
    /// Whether the current response is the last.
    private var isClosing = false
    /// After the last response: input is dropped until the connection closes.
    private(set) var isLingering = false
    /// After a request whose framing is unclear: input is dropped.
    private var isRefused = false
    private var isQuiescing = false
    /// Limits the time of a request, then of lingering.
    private var timer: Scheduled<Void>?
    /// Body bytes since `timer` was set.
    private var received = 0
    /// Bytes of the current request that were framing, minus nine for each byte of content.
    private(set) var framing = 0
    /// Whether the last bytes at the start of a request begin with a method.
    private var beginsWithMethod = false
    /// Of the last request.
    private var upgradeOffer = UpgradeOffer.none
    private var lastEnd: EventLoopFuture<Void>?

    init(limits: ServiceLimits, connection: Connection) {
        self.limits = limits
        self.connection = connection
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancelTimer() }

    func channelInactive(context: ChannelHandlerContext) {
        cancelTimer()
        context.fireChannelInactive()
    }

    private func cancelTimer() {
        timer?.cancel()
        timer = nil
    }

    // MARK: Requests

    /// Counts bytes before the parser sees them.
    func receives(_ bytes: ByteBuffer) {
        if !isReceiving { beginsWithMethod = bytes.beginsWithMethod }
        framing += bytes.readableBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isLingering, !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            // HTTP/1.0 does not have the field, so other programs find another end of the body (RFC 9112, section 6.1).
            if head.version == .http1_0, head.headers.contains(name: "Transfer-Encoding") {
                isRefused = true
                return errorCaught(context: context, error: HTTPParserError.unexpectedContentLength)
            }
            if unanswered.isEmpty { connection.becameBusy() }
            let awaitsContinue =
                head.version == .http1_1 && head.headers["Expect"].contains { $0.lowercased() == "100-continue" }
            upgradeOffer = UpgradeOffer(head.headers)
            // After CONNECT the bytes of a tunnel may follow (RFC 9110, section 9.3.6).
            let isKeepAlive = head.isKeepAlive && head.method != .CONNECT && upgradeOffer != .unclear
            // Nothing is read behind the last request, so the decoder stays stopped.
            if !isKeepAlive { upgradeOffer = .none }
            unanswered.append(Exchange(isKeepAlive: isKeepAlive, awaitsContinue: awaitsContinue))
            (isReceiving, received, framing) = (true, 0, 0)
            isHolding = head.hasLargeBody
            Self.checkTarget(of: &head)
            context.fireChannelRead(wrapInboundOut(.head(head)))
            return
        case .body(let bytes):
            received += bytes.readableBytes
            framing -= 9 * bytes.readableBytes
        case .end:
            (isReceiving, isHolding, framing) = (false, false, 0)
            cancelTimer()
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        if isHolding { hasHeldRead = true } else { context.read() }
    }

    /// Reads on, unless the body that is held belongs to a request behind the current one.
    private func release(_ context: ChannelHandlerContext) {
        guard isHolding, unanswered.count <= 1 || isLingering else { return }
        isHolding = false
        guard hasHeldRead else { return }
        hasHeldRead = false
        context.read()
    }

    /// Whether the last request has ended and made an offer that stops the decoder. `false` until the next such request.
    func takeUpgradeOffer() -> Bool {
        guard !isReceiving, upgradeOffer == .made else { return false }
        upgradeOffer = .none
        return true
    }

    /// Empties a target that is neither a path nor an http URL; the codec behind takes the path of a URL of any scheme.
    /// The host of a URL replaces the `Host` field (RFC 9112, section 3.2.2). A request with none or several of this field
    /// is left to `HostMiddleware`, which refuses it.
    private static func checkTarget(of head: inout HTTPRequestHead) {
        guard head.method != .CONNECT, let first = head.uri.utf8.first, first != UInt8(ascii: "/"),
            let colon = head.uri.firstIndex(of: ":")
        else { return }
        let rest = head.uri[colon...]
        guard ["http", "https"].contains(head.uri[..<colon].lowercased()), rest.hasPrefix("://") else {
            head.uri = ""
            return
        }
        guard head.headers["Host"].count == 1 else { return }
        head.headers.replaceOrAdd(name: "Host", value: String(rest.dropFirst(3).prefix { !"/?#".contains($0) }))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isReceiving, !isLingering, timer == nil { limitRequestTime(context) }
        context.fireChannelReadComplete()
    }

    /// Closes the connection when a request is not complete in time, unless its body keeps the minimum rate.
    private func limitRequestTime(_ context: ChannelHandlerContext) {
        received = 0
        let needed = max(1, Int(limits.requestReadTime / .seconds(1) * Double(limits.minimumBodyRate)))
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: .nanoseconds(limits.requestReadTime.inNanoseconds)) {
            let (handler, context) = bound.value
            if handler.received >= needed {
                handler.limitRequestTime(context)
            } else {
                context.close(mode: .all, promise: nil)
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { isQuiescing = true }
        context.fireUserInboundEventTriggered(event)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let command = event as? ConnectionCommand else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        switch command {
        case .acceptBody:
            release(context)
            guard unanswered.first?.awaitsContinue == true, !isResponding else { break }
            unanswered[0].awaitsContinue = false
            context.writeAndFlush(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
        case .close: context.close(mode: .all, promise: nil)
        }
        promise?.succeed()
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            isResponding = true
            let isKeepAlive = unanswered.first?.isKeepAlive ?? false
            if !isKeepAlive || isQuiescing { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            isClosing = head.headers["Connection"].contains { $0.lowercased() == "close" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            isResponding = false
            release(context)
            if !unanswered.isEmpty { unanswered.removeFirst() }
            let written = promise ?? context.eventLoop.makePromise()
            lastEnd = written.futureResult
            context.write(data, promise: written)
            if isClosing {
                linger(context, after: written.futureResult)
            } else if unanswered.isEmpty {
                connection.becameIdle()
            }
        }
    }

    /// Delays the close until the last response is written. `SlowReaderGuard` ends that wait for a slow reader.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, let lastEnd else { return context.close(mode: mode, promise: promise) }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        lastEnd.whenComplete { _ in bound.value.close(mode: mode, promise: promise) }
    }

    /// Closes the output first and the connection one second later. A close with unread input makes the kernel reset the
    /// connection, and the client would lose the response (RFC 9112, section 9.6).
    private func linger(_ context: ChannelHandlerContext, after written: EventLoopFuture<Void>) {
        isLingering = true
        release(context)
        cancelTimer()
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        written.whenComplete { _ in
            let (handler, context) = bound.value
            context.close(mode: .output, promise: nil)
            handler.timer = context.eventLoop.scheduleTask(in: .seconds(1)) {
                bound.value.context.close(mode: .all, promise: nil)
            }
        }
    }

    // MARK: Messages that are not HTTP

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // While a response is being made, the request level reports the error in turn.
        guard unanswered.isEmpty, !isLingering, error is HTTPParserError else {
            return context.fireErrorCaught(error)
        }
        let isUnknownMethod = (error as? HTTPParserError) == .invalidMethod && beginsWithMethod
        var failure = isUnknownMethod ? .unknownMethod : ServiceError(mapping: error)
        failure.problem.requestId = UUID.random().text
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

extension HTTPRequestHead {
    /// Whether the body may be one that `LargeBodies` counts.
    fileprivate var hasLargeBody: Bool {
        guard let length = headers.first(name: "Content-Length") else {
            return headers.contains(name: "Transfer-Encoding")
        }
        return length.utf8.count > 5 || (Int(length) ?? 0) > LargeBodies.Smallest.request
    }
}
