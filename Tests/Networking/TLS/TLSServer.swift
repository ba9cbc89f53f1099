import Crypto
import NIOCore
import NIOPosix
import NIOSSL

/// A server on 127.0.0.1 that speaks one version of TLS and answers each connection with `200 OK` and "ok".
struct TLSServer: Sendable {
    private let channel: any Channel
    var port: Int { channel.localAddress?.port ?? 0 }

    /// - Parameter breaksOff: Sends no length, and ends the connection, but not TLS before it.
    static func start(
        _ certificate: TestCertificate, version: TLSVersion? = nil, breaksOff: Bool = false
    ) async throws -> TLSServer {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: certificate.der, format: .der))],
            privateKey: .privateKey(
                try NIOSSLPrivateKey(bytes: Array(certificate.key.derRepresentation), format: .der)))
        if let version {
            configuration.cipherSuites = "ALL"
            (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (version, version)
        }
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        Cut(), NIOSSLServerHandler(context: context), Answer(breaksOff: breaksOff))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return TLSServer(channel: channel)
    }

    func stop() async { try? await channel.close() }

    private final class Answer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        let breaksOff: Bool

        init(breaksOff: Bool) { self.breaksOff = breaksOff }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // Without a length, the end of TLS alone says that the body is complete.
            let length = breaksOff ? "" : "Content-Length: 2\r\n"
            let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\n\(length)Connection: close\r\n\r\nok")
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
            if breaksOff { context.triggerUserOutboundEvent(Cut.Now(), promise: nil) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    /// Below TLS: closes the connection before TLS can end.
    private final class Cut: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        struct Now {}

        func triggerUserOutboundEvent(
            context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
        ) {
            guard event is Now else { return context.triggerUserOutboundEvent(event, promise: promise) }
            context.close(promise: promise)
        }
    }
}
