import NIOCore
import NIOHTTP1
import StrataDomain
import StrataNetworking

/// One connection to an origin: one exchange after the other.
// Sendable proof: a channel handler lives on its channel's event loop; what is not NIO's call goes there first.
final class OriginConnection: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// Head and body of a final response.
    struct Answer: Sendable {
        let head: ResponseHead
        let body: BodyChunks
    }

    /// What is under way.
    private struct Exchange {
        let answer: EventLoopPromise<Answer>
        let interim: @Sendable (ResponseHead) -> Void
        /// So many that no server means it.
        var interimLeft = 16
        var body: BodyInlet?
        var isSent = false
        var hasEnded = false
        var isKept = false
    }

    let channel: any Channel
    let origin: Origin
    private let tap: StatusLineTap
    private var exchange: Exchange?
    private var gate = ReadGate()
    private var retirement: Scheduled<Void>?

    /// - Parameter tap: Sees what this connection reads.
    init(_ channel: any Channel, to origin: Origin, tap: StatusLineTap) {
        self.tap = tap
        self.channel = channel
        self.origin = origin
    }

    // MARK: - Called by the transport

    /// Expects the answer to a request that is about to be written.
    ///
    /// - Returns: `nil` when the connection has ended before anything was sent.
    func begin(
        interim: @escaping @Sendable (ResponseHead) -> Void
    ) async throws -> EventLoopFuture<Answer>? {
        try await channel.eventLoop.submit { () -> EventLoopFuture<Answer>? in
            self.retirement?.cancel()
            self.retirement = nil
            guard self.channel.isActive, self.exchange == nil else { return nil }
            let promise = self.channel.eventLoop.makePromise(of: Answer.self)
            self.tap.expect()
            self.exchange = Exchange(answer: promise, interim: interim)
            return promise.futureResult
        }.get()
    }

    /// Ends the exchange.
    ///
    /// - Returns: Whether the connection can take another one.
    func end() async -> Bool {
        let isKept = try? await channel.eventLoop.submit {
            defer { self.exchange = nil }
            guard let exchange = self.exchange else { return false }
            return exchange.isSent && exchange.hasEnded && exchange.isKept && self.channel.isActive
        }.get()
        return isKept ?? false
    }

    /// Closes the connection unless it is used again within `time`.
    func retire(in time: TimeAmount) {
        channel.eventLoop.execute {
            guard self.exchange == nil else { return }
            self.retirement = self.channel.eventLoop.scheduleTask(in: time) { self.channel.close(promise: nil) }
        }
    }

    /// Ends the exchange with `error`, and the connection.
    func fail(_ error: any Error) {
        channel.eventLoop.execute { self.lose(error) }
    }

    // MARK: - Called by the channel

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): take(head)
        case .body(let buffer):
            if exchange?.body?.take(buffer) == false { gate.hold() }
        case .end:
            exchange?.hasEnded = true
            exchange?.body?.finish()
        }
    }

    private func take(_ head: NIOHTTP1.HTTPResponseHead) {
        guard exchange != nil else { return lose(NetworkError(.invalidResponse("it was not asked for"))) }
        guard head.status.code >= 200 else { return takeInterim(head) }
        let loop = channel.eventLoop
        let (inlet, chunks) = BodyInlet.open { loop.execute { if self.gate.open() { self.channel.read() } } }
        exchange?.isKept = head.isKeepAlive
        exchange?.body = inlet
        exchange?.answer.succeed(Answer(head: ResponseHead(head, reason: tap.next()), body: chunks))
    }

    private func takeInterim(_ head: NIOHTTP1.HTTPResponseHead) {
        guard head.status.code != 101 else {
            return lose(NetworkError(.invalidResponse("it changes the protocol, which was not asked for")))
        }
        guard let left = exchange?.interimLeft, left > 0 else {
            return lose(NetworkError(.invalidResponse("it begins with too many interim responses")))
        }
        exchange?.interimLeft = left - 1
        let interim = ResponseHead(head, reason: tap.next())
        // 100 answers the expectation of this connection, and none was sent.
        if interim.status != 100 { exchange?.interim(interim) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { exchange?.isSent = true }
        context.write(data, promise: promise)
    }

    func read(context: ChannelHandlerContext) {
        if gate.mayRead() { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        lose(NetworkError(.connectionLost("the server closed the connection")))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { lose(error) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A body that nobody takes is no silence of the server's.
        guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
        if exchange?.hasEnded == false, !gate.isClosed { lose(NetworkError(.timeout)) }
    }

    private func lose(_ error: any Error) {
        let error = NetworkError(socket: error)
        if let body = exchange?.body {
            if exchange?.hasEnded == false { body.fail(error) }
        } else {
            exchange?.answer.fail(error)
        }
        exchange?.isKept = false
        channel.close(promise: nil)
    }
}

extension ResponseHead {
    fileprivate init(_ head: NIOHTTP1.HTTPResponseHead, reason: String?) {
        var fields = HeaderFields()
        for (name, value) in head.headers { fields.add(name, value) }
        self.init(status: Int(head.status.code), reason: reason, headers: fields)
    }
}
