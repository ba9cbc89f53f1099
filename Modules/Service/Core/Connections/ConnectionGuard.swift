import FoundationEssentials
import NIOCore
import NIOHTTP1
import StrataDomain
import StrataSystem

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
    private let connection: Connection

    /// A request whose answer is not written yet.
    private struct Exchange {
        /// Whether the connection lives on after it.
        let keepsAlive: Bool
        /// Whether its sender waits with the body until it is told to go on (RFC 9110, section 10.1.1).
        var awaitsContinue: Bool
    }

    /// Oldest first.
    private var unanswered: [Exchange] = []
    /// Whether a request has begun and its end has not come.
    private var isReceiving = false
    private var isAnswering = false
    private var isClosing = false
    /// The answer that ends the connection was written; whatever still comes in is dropped.
    private(set) var isLingering = false
    private var isQuiescing = false
    private var readTimer: Scheduled<Void>?
    /// Bytes of the body since `readTimer` was set.
    private var received = 0
    /// Bytes of the current body that were not content, less what content makes up for.
    private(set) var framing = 0
    /// Whether the bytes at the last place where a request may begin look like one.
    private var beginsWithMethod = false
    private var reader: Reader?
    /// Bytes of answers that were written since the reader was looked at.
    private var written = 0
    private var answerEnd = Duration.zero
    private var lastEnd: EventLoopFuture<Void>?

    init(limits: ServiceLimits, connection: Connection) {
        self.limits = limits
        self.connection = connection
    }

    func handlerRemoved(context: ChannelHandlerContext) { ended() }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    private func ended() {
        readTimer?.cancel()
        readTimer = nil
        forgetReader()
    }

    /// Bytes came in that the parser sees next.
    func receives(_ bytes: ByteBuffer) {
        if !isReceiving { beginsWithMethod = bytes.beginsWithMethod }
        framing += bytes.readableBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isLingering else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            if unanswered.isEmpty { connection.begins() }
            let expects =
                head.version == .http1_1 && head.headers["Expect"].contains { $0.lowercased() == "100-continue" }
            unanswered.append(Exchange(keepsAlive: head.isKeepAlive, awaitsContinue: expects))
            (isReceiving, received, framing) = (true, 0, 0)
            if !Self.isServed(head) { head.uri = "" }
            context.fireChannelRead(wrapInboundOut(.head(head)))
            return
        case .body(let bytes):
            received += bytes.readableBytes
            framing -= 9 * bytes.readableBytes
        case .end:
            (isReceiving, framing) = (false, 0)
            readTimer?.cancel()
            readTimer = nil
        }
        context.fireChannelRead(data)
    }

    /// Whether the target is a path or a URL of a scheme that is spoken here (RFC 9112, section 3.2.2). The codec behind
    /// leaves the path alone of any URL.
    private static func isServed(_ head: HTTPRequestHead) -> Bool {
        guard head.method != .CONNECT, let first = head.uri.utf8.first, first != UInt8(ascii: "/") else { return true }
        guard let colon = head.uri.firstIndex(of: ":") else { return true }
        return ["http", "https"].contains(head.uri[..<colon].lowercased())
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isReceiving, !isLingering, readTimer == nil { watchRequest(context) }
        context.fireChannelReadComplete()
    }

    /// Ends the connection when a request does not arrive, unless its body keeps the minimum rate.
    private func watchRequest(_ context: ChannelHandlerContext) {
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

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let order = event as? ConnectionOrder else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        switch order {
        case .proceed:
            guard unanswered.first?.awaitsContinue == true, !isAnswering else { break }
            unanswered[0].awaitsContinue = false
            context.writeAndFlush(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
        case .end: context.close(mode: .all, promise: nil)
        }
        promise?.succeed()
    }

    // MARK: Answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            isAnswering = true
            answerEnd = Self.now + limits.transferTime
            let keepsAlive = unanswered.first?.keepsAlive ?? false
            if !keepsAlive || isQuiescing { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            isClosing = head.headers["Connection"].contains { $0.lowercased() == "close" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body(let bytes):
            written += bytes.readableBytes
            context.write(data, promise: promise)
        case .end:
            isAnswering = false
            if !unanswered.isEmpty { unanswered.removeFirst() }
            let written = promise ?? context.eventLoop.makePromise()
            lastEnd = written.futureResult
            context.write(data, promise: written)
            if isClosing {
                linger(context, after: written.futureResult)
            } else if unanswered.isEmpty {
                connection.waits()
            }
        }
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        look(context)
    }

    /// A close waits until the last answer is on its way; `look` ends the wait for a reader who does not read.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, let lastEnd else { return context.close(mode: mode, promise: promise) }
        let here = NIOLoopBound(context, eventLoop: context.eventLoop)
        lastEnd.whenComplete { _ in here.value.close(mode: mode, promise: promise) }
    }

    /// Says goodbye first and closes a moment later: closing with unread input would make the kernel take back an
    /// answer that the client has not read yet (RFC 9112, section 9.6).
    private func linger(_ context: ChannelHandlerContext, after written: EventLoopFuture<Void>) {
        isLingering = true
        readTimer?.cancel()
        readTimer = nil
        let here = NIOLoopBound((guard: self, context: context), eventLoop: context.eventLoop)
        written.whenComplete { _ in
            let (handler, context) = here.value
            context.close(mode: .output, promise: nil)
            handler.readTimer = handler.closing(context, after: .seconds(1))
        }
    }

    private func closing(_ context: ChannelHandlerContext, after time: Duration) -> Scheduled<Void> {
        let here = NIOLoopBound(context, eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: .nanoseconds(time.nanoseconds)) {
            here.value.close(mode: .all, promise: nil)
        }
    }

    // MARK: Slow readers

    /// What is known of a reader that bytes wait for.
    private struct Reader {
        var pace: TransferPace
        var waiting: Int
        var timer: Scheduled<Void>?
    }

    /// Since some moment of the machine.
    private static var now: Duration { .nanoseconds(Int64(NIODeadline.now().uptimeNanoseconds)) }

    /// Sees how many bytes the socket has taken since the last look, and goes on looking while some wait.
    ///
    /// Progress is what counts: a channel that is full stays full for minutes while a slow reader takes what lies before it.
    private func look(_ context: ChannelHandlerContext) {
        let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        defer { written = 0 }
        guard waiting > 0 || reader != nil else { return }
        let now = Self.now
        var reader =
            self.reader
            ?? Reader(
                pace: TransferPace(rate: limits.minimumBodyRate, longestPause: limits.writeTime, at: now), waiting: 0)
        let taken = max(0, reader.waiting + written - waiting)
        if taken > 0 { reader.pace.moved(taken, at: now) }
        guard waiting > 0 else { return forgetReader() }
        reader.waiting = waiting
        if reader.timer == nil { reader.timer = lookingAgain(context) }
        self.reader = reader
        connection.answers.set(
            waiting, for: connection.id, hasTaken: taken > 0, at: now, end: connection.end)
    }

    private func lookingAgain(_ context: ChannelHandlerContext) -> Scheduled<Void> {
        let here = NIOLoopBound((guard: self, context: context), eventLoop: context.eventLoop)
        let pause = min(.seconds(1), limits.writeTime / 8)
        return context.eventLoop.scheduleTask(in: .nanoseconds(pause.nanoseconds)) {
            let (handler, context) = here.value
            handler.reader?.timer = nil
            handler.look(context)
            guard let reader = handler.reader else { return }
            let now = Self.now
            if now >= reader.pace.end || now >= handler.answerEnd { context.close(mode: .all, promise: nil) }
        }
    }

    private func forgetReader() {
        guard let reader else { return }
        reader.timer?.cancel()
        self.reader = nil
        connection.answers.set(0, for: connection.id, hasTaken: true, at: Self.now, end: connection.end)
    }

    // MARK: Messages that are not HTTP

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Behind an answer that is still being made, the request level reports the error in its turn.
        guard unanswered.isEmpty, !isLingering, error is HTTPParserError else {
            return context.fireErrorCaught(error)
        }
        let isUnknownMethod = (error as? HTTPParserError) == .invalidMethod && beginsWithMethod
        var failure = isUnknownMethod ? .unknownMethod : ServiceError(answering: error)
        failure.problem.requestId = UUID().text
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
