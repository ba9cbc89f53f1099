import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A server on 127.0.0.1 that takes `POST /v1/tides` and does to it what the plan says, over and under HTTP.
final class ChaosServer: Sendable {
    let ledger: ChaosLedger
    private let channel: any Channel

    static func start(_ ledger: ChaosLedger) async throws -> ChaosServer {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 512)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(ChaosHandler(ledger))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ChaosServer(ledger, channel)
    }

    private init(_ ledger: ChaosLedger, _ channel: any Channel) {
        (self.ledger, self.channel) = (ledger, channel)
    }

    var port: Int { channel.localAddress?.port ?? 0 }

    func stop() async { try? await channel.close().get() }
}

// Sendable proof: a channel handler lives on its channel's event loop; NIO calls it there only.
private final class ChaosHandler: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let ledger: ChaosLedger
    private var head: HTTPRequestHead?
    private var body = ""

    init(_ ledger: ChaosLedger) { self.ledger = ledger }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, "")
        case .body(let bytes): body += String(buffer: bytes)
        case .end: if let head { meet(head, body, context) }
        }
    }

    private func meet(_ head: HTTPRequestHead, _ body: String, _ context: ChannelHandlerContext) {
        let token = head.headers.first(name: "Authorization") ?? ""
        let key = head.headers.first(name: "Idempotency-Key")
        guard let call = Self.number(in: body) else { return answer(.badRequest, "{}", context) }
        let loop = context.eventLoop
        let bound = NIOLoopBound(context, eventLoop: loop)
        let late = TimeAmount.milliseconds(24)
        switch ledger.fate(ofCall: call, token: token) {
        case nil: answer(.unauthorized, "{}", context)
        case .answer?: answer(.created, ledger.commit(call, key: key), context)
        case .drop?:
            _ = ledger.commit(call, key: key)
            context.close(promise: nil)
        case .cut?:
            let text = ledger.commit(call, key: key)
            answer(.created, String(text.prefix(6)), of: text.utf8.count, context)
            context.close(promise: nil)
        case .answerLate?:
            let text = ledger.commit(call, key: key)
            loop.scheduleTask(in: late) { self.answer(.created, text, bound.value) }
        case .commitLate?:
            loop.scheduleTask(in: late) { self.answer(.created, self.ledger.commit(call, key: key), bound.value) }
        case .silence?: _ = ledger.commit(call, key: key)
        case .reset?:
            let end = linger(l_onoff: 1, l_linger: 0)
            _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(end)
            context.close(promise: nil)
        case .busy?: answer(call.isMultiple(of: 2) ? .tooManyRequests : .serviceUnavailable, "{}", context)
        }
    }

    /// - Parameter length: What is announced; more than `text` has leaves the answer unfinished.
    private func answer(
        _ status: HTTPResponseStatus, _ text: String, of length: Int? = nil, _ context: ChannelHandlerContext
    ) {
        guard context.channel.isActive else { return }
        let headers: HTTPHeaders = [
            "Content-Type": "application/json", "Content-Length": "\(length ?? text.utf8.count)", "Retry-After": "0",
        ]
        context.write(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))))
            .whenFailure { _ in }
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        if length == nil { context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
    }

    /// The number of the call, which its body names.
    private static func number(in body: String) -> Int? {
        body.split(separator: "\"").lazy.compactMap { Int($0) }.first
    }
}
