#if All || AsyncHTTP || Client
    import NIOCore
    import NIOPosix
    import NIOSSL
    import StrataConcurrency

    /// A server on 127.0.0.1 that responds to each HTTP/1.1 request with the bytes of a script, correct or not.
    ///
    /// It serves at most 1,024 connections at a time, remembers the first 100,000 requests, and closes a connection whose head is
    /// longer than 64 KiB or whose body is longer than 64 MiB.
    public final class LoopbackServer: Sendable {
        /// The port it listens at, chosen by the system.
        public let port: Int
        private let scheme: String
        private let listener: any Channel
        private let record: LoopbackRecord

        /// Runs `body` with a server that follows `script`, and stops the server afterwards.
        ///
        /// - Parameter identity: What the server shows in TLS; without it, it speaks plain HTTP.
        public static func run<Result>(
            _ script: Script, identity: Identity? = nil, _ body: (LoopbackServer) async throws -> Result
        ) async throws -> Result {
            let server = try await start(script, identity: identity)
            do {
                let result = try await body(server)
                await server.stop()
                return result
            } catch {
                await server.stop()
                throw error
            }
        }

        /// Starts a server that runs until `stop()`, or until the last reference to it is gone.
        ///
        /// - Parameter identity: What the server shows in TLS; without it, it speaks plain HTTP.
        public static func start(_ script: Script, identity: Identity? = nil) async throws -> LoopbackServer {
            let record = LoopbackRecord()
            let context = try identity?.context()
            let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.backlog, value: 256)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(ConnectionBreaker())
                        if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                        try pipeline.addHandler(RequestReader(script, record))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            return LoopbackServer(listener, record, scheme: identity == nil ? "http" : "https")
        }

        private init(_ listener: any Channel, _ record: LoopbackRecord, scheme: String) {
            (self.listener, self.record, self.scheme) = (listener, record, scheme)
            port = listener.localAddress?.port ?? 0
        }

        deinit {
            listener.close(promise: nil)
            for connection in record.close() { connection.end() }
        }

        /// Stops listening, closes every connection, cancels the scripts that run, and waits for their end.
        public func stop() async {
            try? await listener.close().get()
            for connection in record.close() {
                connection.end()
                await connection.work.value
            }
        }

        /// `http://127.0.0.1:PORT`; `https` with an identity.
        public var url: String { "\(scheme)://127.0.0.1:\(port)" }

        /// The requests so far, in order.
        public var requests: [Request] { record.state.withLock(\.requests) }

        /// Connections that were opened.
        public var connections: Int { record.state.withLock(\.opened) }

        /// Connections that have ended.
        public var endedConnections: Int { record.state.withLock(\.closed) }

        /// Returns once `count` requests have arrived.
        public func waitForRequests(_ count: Int) async throws {
            try await eventually("\(count) requests arrive") { requests.count >= count }
        }

        /// Returns once `count` connections have ended.
        public func waitForCloses(_ count: Int) async throws {
            try await eventually("\(count) connections end") { endedConnections >= count }
        }
    }

    extension LoopbackServer {
        /// A request as it came.
        public struct Request: Sendable {
            /// Among all requests of the server, from 1.
            public let number: Int
            /// Request line and header fields.
            public let head: String
            /// The bytes after the head, in chunks when they came so; empty when the script responds at the head.
            public let bytes: [UInt8]

            /// The bytes as text.
            public var body: String { String(decoding: bytes, as: UTF8.self) }
            /// The method in the first line.
            public var method: Substring { head.prefix { $0 != " " } }
            /// Path and query.
            public var target: Substring { head.drop { $0 != " " }.dropFirst().prefix { $0 != " " } }

            /// The values of a header field, in order.
            public func values(_ name: String) -> [String] {
                head.split(separator: "\r\n").dropFirst().compactMap { line in
                    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
                    return String(parts[1].drop { $0 == " " })
                }
            }
        }

        /// What the server sends for a request. The requests of one connection are taken in turn.
        public struct Script: Sendable {
            let atHead: Bool
            private(set) var isSilent = false
            let respond: @Sendable (Request, Connection) async throws -> Void

            /// - Parameter atHead: Responds when the head is there, and ignores the body and later requests.
            public init(atHead: Bool = false, _ steps: @escaping @Sendable (Request) async -> [Step]) {
                self.init(atHead: atHead) { request, connection in
                    for step in await steps(request) { try await connection.run(step) }
                }
            }

            /// A script that decides while it sends.
            public init(
                atHead: Bool = false, sending respond: @escaping @Sendable (Request, Connection) async throws -> Void
            ) {
                (self.atHead, self.respond) = (atHead, respond)
            }

            /// The same steps for every request.
            public static func always(_ steps: Step...) -> Script { Script { _ in steps } }

            /// The steps for the first request, for the second, and so on, over all connections; `rest` for those after.
            public static func inOrder(_ queue: [Step]..., then rest: [Step] = [.close]) -> Script {
                Script { queue.indices.contains($0.number - 1) ? queue[$0.number - 1] : rest }
            }

            /// Takes requests, or the handshake of TLS, and sends nothing.
            public static var silent: Script {
                var script = always()
                script.isSilent = true
                return script
            }
        }

        /// A certificate with its key.
        public struct Identity: Sendable {
            /// A version of TLS that the server speaks.
            public enum Version: Sendable {
                /// TLS 1.0 to 1.3; a client that refuses an old one is tested with it.
                case tls10, tls11, tls12, tls13
            }

            private let certificate: [UInt8], key: [UInt8], version: Version?, clients: [UInt8]?

            /// - Parameters:
            ///   - certificate: X.509, as DER.
            ///   - key: Its private key, as DER (PKCS #8).
            ///   - version: The only version of TLS that is spoken; `nil` for 1.2 and 1.3.
            ///   - clients: The authority, as DER, that each client must show a certificate of; `nil` asks for none.
            public init(certificate: [UInt8], key: [UInt8], only version: Version? = nil, clients: [UInt8]? = nil) {
                (self.certificate, self.key, self.version, self.clients) = (certificate, key, version, clients)
            }

            func context() throws -> NIOSSLContext {
                var configuration = TLSConfiguration.makeServerConfiguration(
                    certificateChain: [.certificate(try NIOSSLCertificate(bytes: certificate, format: .der))],
                    privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key, format: .der)))
                configuration.minimumTLSVersion = .tlsv12
                if let clients {
                    configuration.certificateVerification = .noHostnameVerification
                    configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: clients, format: .der)])
                }
                if let version {
                    let only: TLSVersion =
                        switch version {
                        case .tls10: .tlsv1
                        case .tls11: .tlsv11
                        case .tls12: .tlsv12
                        case .tls13: .tlsv13
                        }
                    configuration.cipherSuites = "ALL"
                    (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (only, only)
                }
                return try NIOSSLContext(configuration: configuration)
            }
        }
    }
#endif
