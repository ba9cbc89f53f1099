import NIOCore
import NIOHTTP1
import NIOPosix

/// A loopback server that answers every request with the same bytes, as cheaply as SwiftNIO allows.
struct PageServer: Sendable {
    let port: Int
    private let channel: any Channel

    static func start(answering json: [UInt8]) async throws -> PageServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(json))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return PageServer(port: channel.localAddress?.port ?? 0, channel: channel)
    }

    func stop() async { try? await channel.close().get() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart
        private let body: ByteBuffer
        private let head: HTTPResponseHead

        init(_ json: [UInt8]) {
            body = ByteBuffer(bytes: json)
            head = HTTPResponseHead(
                version: .http1_1, status: .ok,
                headers: ["Content-Type": "application/json", "Content-Length": "\(json.count)"])
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = unwrapInboundIn(data) else { return }
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
