import NIOCore
import NIOPosix
import StrataConcurrency
import StrataTesting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A server on 127.0.0.1 that answers each request with raw bytes, so that it can also answer wrongly.
final class LoopbackServer: Sendable {
    enum Step: Sendable {
        case send(String)
        /// The same bytes again and again, as fast as they are taken, until the connection has ended.
        case sendForever(String)
        /// Nothing until the gate opens.
        case wait(Gate)
        case close
        /// Ends the connection the hard way (RST), which drops what is under way.
        case reset
    }

    struct Exchange: Sendable {
        /// Request line and header fields.
        let head: String
        /// As on the wire; empty when the script answers at the head.
        let body: String
        /// Number of the request over all connections, from 1.
        let number: Int

        /// The values of a field, in order.
        func values(_ name: String) -> [String] {
            head.split(separator: "\r\n").dropFirst().compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
                return String(parts[1].drop { $0 == " " })
            }
        }
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
        let atHead: Bool
        let respond: @Sendable (Exchange) async -> [Step]

        /// - Parameter atHead: Answers when the head is there and ignores the body.
        init(atHead: Bool = false, _ respond: @escaping @Sendable (Exchange) async -> [Step]) {
            self.atHead = atHead
            self.respond = respond
        }

        static func always(_ steps: Step...) -> Script { Script { _ in steps } }
        static var silent: Script { always() }
    }

    static func start(_ script: Script) async throws -> LoopbackServer {
        let holder = Holder()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 256)
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
    /// Connections that have ended.
    var endedConnections: Int { state.withLock(\.closed) }

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
    /// What arrived of the request under way: its head once it is whole, and the bytes after it.
    private var head: Head?
    private var bytes: [UInt8] = []
    private var ignoresRest = false
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
        let buffer = unwrapInboundIn(data)
        // A TLS handshake, to which this server has no answer.
        if head == nil, bytes.isEmpty, buffer.readableBytesView.first == 0x16 {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n")), promise: nil)
            context.close(promise: nil)
            return
        }
        guard !ignoresRest else { return }
        bytes += buffer.readableBytesView
        if head == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
            head = Head(text: String(decoding: bytes[..<end.lowerBound], as: UTF8.self))
            bytes.removeSubrange(..<end.upperBound)
        }
        guard let head, script.atHead || head.isComplete(with: bytes) else { return }
        let body = script.atHead ? "" : String(decoding: bytes, as: UTF8.self)
        ignoresRest = script.atHead
        self.head = nil
        bytes = []
        guard let exchange = holder.value?.record(head: head.text, body: body) else { return }
        let (channel, script) = (context.channel, script)
        Task { for step in await script.respond(exchange) { await step.run(on: channel) } }
    }

    private struct Head {
        let text: String
        let length: Int
        let isChunked: Bool

        init(text: String) {
            self.text = text
            let lower = text.lowercased()
            length =
                lower.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                .flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
            isChunked = lower.contains("transfer-encoding: chunked")
        }

        func isComplete(with body: [UInt8]) -> Bool {
            isChunked ? body.suffix(5).elementsEqual("0\r\n\r\n".utf8) : body.count >= length
        }
    }
}

extension LoopbackServer.Step {
    fileprivate func run(on channel: any Channel) async {
        switch self {
        case .send(let text): try? await channel.writeAndFlush(ByteBuffer(string: text)).get()
        case .sendForever(let text):
            let buffer = ByteBuffer(string: text)
            do { while true { try await channel.writeAndFlush(buffer).get() } } catch { return }
        case .wait(let gate): try? await gate.wait()
        case .close: try? await channel.close().get()
        case .reset:
            let socket = channel as? any SocketOptionProvider
            try? await socket?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            try? await channel.close().get()
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
