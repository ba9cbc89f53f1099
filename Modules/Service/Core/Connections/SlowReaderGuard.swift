import NIOCore
import NIOHTTP1
import StrataSystem

/// Closes the connection of a reader that takes the response below the minimum rate, or takes longer than
/// `ServiceLimits.transferTime`.
///
/// Progress is measured by the bytes the socket takes. A full channel says nothing, because it stays full for minutes while
/// a slow but steady reader drains it. The handler sits between the HTTP codec and `ConnectionGuard`.
final class SlowReaderGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart

    private let limits: ServiceLimits
    private let connection: Connection
    private var reader: Reader?
    /// Body bytes written since the last check.
    private var written = 0
    private var responseDeadline = Duration.zero

    /// A reader for which bytes wait.
    private struct Reader {
        var deadline: ProgressDeadline
        var waiting: Int
        var timer: Scheduled<Void>?
    }

    init(limits: ServiceLimits, connection: Connection) {
        self.limits = limits
        self.connection = connection
    }

    func handlerRemoved(context: ChannelHandlerContext) { forgetReader() }

    func channelInactive(context: ChannelHandlerContext) {
        forgetReader()
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head: responseDeadline = Self.now + limits.transferTime
        case .body(let bytes): written += bytes.readableBytes
        case .end: break
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        check(context)
    }

    /// Elapsed time of the machine since an arbitrary instant.
    private static var now: Duration { .nanoseconds(Int64(NIODeadline.now().uptimeNanoseconds)) }

    /// Measures what the socket took since the last check, and schedules the next check while bytes wait.
    private func check(_ context: ChannelHandlerContext) {
        let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        defer { written = 0 }
        guard waiting > 0 || reader != nil else { return }
        let now = Self.now
        var reader =
            self.reader
            ?? Reader(
                deadline: ProgressDeadline(rate: limits.minimumBodyRate, longestPause: limits.writeTime, at: now),
                waiting: 0)
        let taken = max(0, reader.waiting + written - waiting)
        if taken > 0 { reader.deadline.advance(by: taken, at: now) }
        guard waiting > 0 else { return forgetReader() }
        reader.waiting = waiting
        if reader.timer == nil { reader.timer = scheduleCheck(context) }
        self.reader = reader
        connection.writeBuffers.update(
            waiting, of: connection.id, hasProgressed: taken > 0, at: now, close: connection.close)
    }

    private func scheduleCheck(_ context: ChannelHandlerContext) -> Scheduled<Void> {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let pause = min(.seconds(1), limits.writeTime / 8)
        return context.eventLoop.scheduleTask(in: .nanoseconds(pause.inNanoseconds)) {
            let (handler, context) = bound.value
            handler.reader?.timer = nil
            handler.check(context)
            guard let reader = handler.reader else { return }
            let now = Self.now
            if now >= reader.deadline.end || now >= handler.responseDeadline {
                context.close(mode: .all, promise: nil)
            }
        }
    }

    private func forgetReader() {
        guard let reader else { return }
        reader.timer?.cancel()
        self.reader = nil
        connection.writeBuffers.update(0, of: connection.id, hasProgressed: true, at: Self.now, close: connection.close)
    }
}

// Every instance stays on the event loop of its connection.
@available(*, unavailable)
extension SlowReaderGuard: Sendable {}
