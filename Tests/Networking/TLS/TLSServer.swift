import Crypto
import NIOCore
import NIOPosix
import NIOSSL

/// A server on 127.0.0.1 that speaks one version of TLS and answers each connection with `200 OK` and "ok".
struct TLSServer: Sendable {
    private let channel: any Channel
    var port: Int { channel.localAddress?.port ?? 0 }

    static func start(_ certificate: TestCertificate, version: TLSVersion? = nil) async throws -> TLSServer {
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
                    try channel.pipeline.syncOperations.addHandlers(NIOSSLServerHandler(context: context), Answer())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return TLSServer(channel: channel)
    }

    func stop() async { try? await channel.close() }

    private final class Answer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
