#if All || AsyncHTTP || Client
    import NIOCore
    import NIOPosix
    import StrataConcurrency
    import StrataSystem

    /// A connection to 127.0.0.1 that writes and reads bytes as they are, for messages that no HTTP client sends.
    ///
    /// It takes bytes from the system only while a read waits, so without a read it is a reader that stands still. It is closed when
    /// the last reference to it is gone.
    public final class RawConnection: Sendable {
        /// Nobody listens at the port.
        public struct Refused: Error {}

        private let channel: any Channel
        private let arrivals = Arrivals()
        private let patience: Duration

        /// - Parameters:
        ///   - source: The address to come from; `nil` lets the system choose.
        ///   - patience: How long a read waits before it throws `NeverHappened`.
        public init(port: Int, from source: String? = nil, patience: Duration = .seconds(20)) async throws {
            let (arrivals, own) = (arrivals, try source.map { try SocketAddress(ipAddress: $0, port: 0) })
            let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelOption(.autoRead, value: false)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(ByteReader(arrivals))
                    }
                }
            let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
            do {
                channel = try await (own.map { bootstrap.bind(to: $0) } ?? bootstrap).connect(to: address).get()
            } catch { throw Refused() }
            self.patience = patience
        }

        deinit { channel.close(promise: nil) }

        /// Sends a text as UTF-8.
        public func send(_ text: String) { send(text.utf8) }
        /// Sends bytes as they are.
        public func send(_ bytes: some Sequence<UInt8>) {
            channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
        }

        /// Says that no more bytes follow.
        public func finishSending() { channel.close(mode: .output, promise: nil) }

        /// Closes the connection in both directions.
        public func close() async { try? await channel.close().get() }

        /// Ends the connection at once, without waiting for bytes that are on their way.
        public func reset() async {
            let socket = channel as? any SocketOptionProvider
            try? await socket?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            await close()
        }

        /// What arrives from now on until `marker` is in it, or the other side ends the connection. Bytes behind the marker that came
        /// with it are included.
        ///
        /// - Throws: `NeverHappened` after the patience.
        public func read(until marker: String) async throws -> String {
            let marker = Array(marker.utf8)
            return try await read("the marker arrives") { $0.firstRange(of: marker) != nil }
        }

        /// What arrives from now on until the other side ends the connection.
        ///
        /// - Throws: `NeverHappened` after the patience.
        public func readToEnd() async throws -> String { try await read("the connection ends") { _ in false } }

        /// One message on a connection of its own, and everything that comes back.
        public static func exchange(_ message: String, port: Int) async throws -> String {
            try await exchange(Array(message.utf8), port: port)
        }

        /// One message on a connection of its own, and everything that comes back.
        public static func exchange(_ message: [UInt8], port: Int) async throws -> String {
            let connection = try await RawConnection(port: port)
            connection.send(message)
            return try await connection.readToEnd()
        }

        private func read(_ what: String, _ isEnough: ([UInt8]) -> Bool) async throws -> String {
            try? await channel.setOption(.autoRead, value: true).get()
            try await eventually(what, within: patience) {
                arrivals.state.withLock { $0.isClosed || isEnough($0.bytes) }
            }
            try? await channel.setOption(.autoRead, value: false).get()
            return arrivals.state.withLock { state in
                defer { state.bytes = [] }
                return String(decoding: state.bytes, as: UTF8.self)
            }
        }

        fileprivate final class Arrivals: Sendable {
            struct State {
                var bytes: [UInt8] = []
                var isClosed = false
            }
            let state = Mutex(State())
        }

        private final class ByteReader: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            private let arrivals: Arrivals

            init(_ arrivals: Arrivals) { self.arrivals = arrivals }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                let bytes = unwrapInboundIn(data).readableBytesView
                arrivals.state.withLock { $0.bytes += bytes }
            }
            func channelInactive(context: ChannelHandlerContext) { arrivals.state.withLock { $0.isClosed = true } }
            func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
        }
    }
#endif
