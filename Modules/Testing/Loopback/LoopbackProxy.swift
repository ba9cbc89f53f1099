#if All || AsyncHTTP || Client
    import NIOCore
    import NIOPosix
    import StrataConcurrency

    /// A proxy on 127.0.0.1 that makes a tunnel for each CONNECT. Every name leads to one port of this machine.
    package final class LoopbackProxy: Sendable {
        /// The port it listens at, chosen by the system.
        package let port: Int
        private let listener: any Channel
        private let record: Record

        /// - Parameter target: The port that each tunnel leads to.
        package static func start(to target: Int) async throws -> LoopbackProxy {
            let record = Record()
            let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { channel in
                    record.state.withLock { $0.channels.append(channel) }
                    return channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Tunnel(to: target, record))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            return LoopbackProxy(listener, record)
        }

        private init(_ listener: any Channel, _ record: Record) {
            (self.listener, self.record) = (listener, record)
            port = listener.localAddress?.port ?? 0
        }

        /// Request line and header fields of each request, in order.
        package var heads: [String] { record.state.withLock(\.heads) }

        /// Stops listening and closes every connection.
        package func stop() async {
            try? await listener.close().get()
            for channel in record.state.withLock(\.channels) { try? await channel.close().get() }
        }

        fileprivate final class Record: Sendable {
            struct State {
                var heads: [String] = []
                var channels: [any Channel] = []
            }
            let state = Mutex(State())
        }
    }

    /// One connection of a client: its CONNECT, then its bytes.
    private final class Tunnel: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let target: Int
        private let record: LoopbackProxy.Record
        private var bytes: [UInt8] = []
        private var isOpening = false
        private var server: (any Channel)?

        init(to target: Int, _ record: LoopbackProxy.Record) { (self.target, self.record) = (target, record) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = unwrapInboundIn(data)
            if let server { return server.writeAndFlush(buffer, promise: nil) }
            bytes += buffer.readableBytesView
            guard !isOpening, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
            isOpening = true
            let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            record.state.withLock { $0.heads.append(head) }
            bytes.removeSubrange(..<end.upperBound)
            let client = context.channel
            guard head.hasPrefix("CONNECT ") else {
                client.writeAndFlush(ByteBuffer(string: "HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n"), promise: nil)
                return client.close(promise: nil)
            }
            ClientBootstrap(group: context.eventLoop)
                .channelInitializer { server in
                    server.eventLoop.makeCompletedFuture {
                        try server.pipeline.syncOperations.addHandler(WayBack(to: client))
                    }
                }
                .connect(host: "127.0.0.1", port: target).assumeIsolated().whenComplete { self.opened($0, client) }
        }

        private func opened(_ result: Result<any Channel, any Error>, _ client: any Channel) {
            guard case .success(let server) = result, client.isActive else {
                if case .success(let server) = result { server.close(promise: nil) }
                client.writeAndFlush(ByteBuffer(string: "HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n"), promise: nil)
                return client.close(promise: nil)
            }
            self.server = server
            client.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 Connected\r\n\r\n"), promise: nil)
            server.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { server?.close(promise: nil) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    /// The bytes of the server, on their way to the client.
    private final class WayBack: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let client: any Channel

        init(to client: any Channel) { self.client = client }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            client.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }
        func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
#endif
