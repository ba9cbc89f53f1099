import NIOCore
import NIOPosix
import Synchronization

/// A server on 127.0.0.1 that answers each request with raw bytes, so that it can also answer wrongly.
final class LoopbackServer: Sendable {
    enum Step: Sendable {
        case send(String)
        case close
    }

    struct Exchange: Sendable {
        /// Request line and header fields.
        let head: String
        let body: String
        /// Number of the request over all connections, from 1.
        let number: Int
    }

    private struct State {
        var requests: [Exchange] = []
        var opened = 0
        var closed = 0
        var watchers: [(isMet: @Sendable (Int, Int) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    private let channel: any Channel
    let port: Int

    /// What to write for a request; after the last step the connection stays open.
    struct Script: Sendable {
        let respond: @Sendable (Exchange) async -> [Step]

        init(_ respond: @escaping @Sendable (Exchange) async -> [Step]) { self.respond = respond }

        static func always(_ steps: Step...) -> Script { Script { _ in steps } }
        static var silent: Script { always() }
    }

    static func start(_ script: Script) async throws -> LoopbackServer {
        let holder = Holder()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(holder: holder, script: script))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = LoopbackServer(channel: channel)
        holder.server.withLock { $0 = server }
        return server
    }

    private init(channel: any Channel) {
        self.channel = channel
        port = channel.localAddress?.port ?? 0
    }

    var url: String { "http://127.0.0.1:\(port)" }
    var requests: [Exchange] { state.withLock(\.requests) }
    var connections: Int { state.withLock(\.opened) }

    func stop() async { try? await channel.close().get() }

    /// Returns once `count` requests have arrived.
    func waitForRequests(_ count: Int) async { await wait { requests, _ in requests >= count } }

    /// Returns once `count` connections have been closed.
    func waitForCloses(_ count: Int) async { await wait { _, closed in closed >= count } }

    private func wait(until isMet: @escaping @Sendable (Int, Int) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetNow = state.withLock { state in
                if isMet(state.requests.count, state.closed) { return true }
                state.watchers.append((isMet, continuation))
                return false
            }
            if isMetNow { continuation.resume() }
        }
    }

    fileprivate func record(head: String, body: String) -> Exchange {
        change { state in
            let exchange = Exchange(head: head, body: body, number: state.requests.count + 1)
            state.requests.append(exchange)
            return exchange
        }
    }

    fileprivate func opened() { change { $0.opened += 1 } }
    fileprivate func closed() { change { $0.closed += 1 } }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, met) = state.withLock { state in
            let result = body(&state)
            let (requests, closed) = (state.requests.count, state.closed)
            let met = state.watchers.filter { $0.isMet(requests, closed) }.map(\.continuation)
            state.watchers.removeAll { $0.isMet(requests, closed) }
            return (result, met)
        }
        for continuation in met { continuation.resume() }
        return result
    }

    /// Known to the handlers before the server is.
    fileprivate final class Holder: Sendable {
        let server = Mutex<LoopbackServer?>(nil)
        var value: LoopbackServer? { server.withLock { $0 } }
    }
}

/// Collects the bytes of one connection and answers each complete request.
// Sendable proof: a channel handler lives on its channel's event loop; NIO calls it there only.
private final class Handler: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer
    private var text = ""
    private let holder: LoopbackServer.Holder
    private let script: LoopbackServer.Script

    init(holder: LoopbackServer.Holder, script: LoopbackServer.Script) {
        self.holder = holder
        self.script = script
    }

    func channelActive(context: ChannelHandlerContext) { holder.value?.opened() }
    func channelInactive(context: ChannelHandlerContext) { holder.value?.closed() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        // A TLS handshake, to which this server has no answer.
        if text.isEmpty, bytes.readableBytesView.first == 0x16 {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n")), promise: nil)
            context.close(promise: nil)
            return
        }
        text += String(buffer: bytes)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return }
        let head = String(text[..<end.lowerBound])
        let body = String(text[end.upperBound...])
        let length = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            .flatMap { Int($0.split(separator: " ").last ?? "") }
        let isChunked = head.lowercased().contains("transfer-encoding: chunked")
        guard isChunked ? body.hasSuffix("0\r\n\r\n") : body.utf8.count >= length ?? 0 else { return }
        text = ""
        guard let exchange = holder.value?.record(head: head, body: body) else { return }
        let (channel, script) = (context.channel, script)
        Task {
            for step in await script.respond(exchange) {
                switch step {
                case .send(let text): try? await channel.writeAndFlush(ByteBuffer(string: text)).get()
                case .close: try? await channel.close().get()
                }
            }
        }
    }
}

extension LoopbackServer.Step {
    /// A complete JSON answer.
    static func json(_ body: String, status: String = "200 OK", headers: String = "") -> LoopbackServer.Step {
        .send(
            "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
        )
    }
}
