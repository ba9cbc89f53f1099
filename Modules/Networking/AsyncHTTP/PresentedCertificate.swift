import FoundationEssentials
import NIOCore
import NIOPosix
import NIOSSL
import StrataNetworking

/// When the certificate of a server is valid.
///
/// BoringSSL refuses an expired certificate with the same reason as one of an unknown authority, and AsyncHTTPClient hands on
/// no more. So the handshake is made once more, up to the certificate, which is looked at and refused in any case.
struct PresentedCertificate: Sendable, Equatable {
    let validFrom: Date
    let validTo: Date

    /// - Parameter limit: Time for connection and handshake.
    /// - Returns: `nil` when the server presents none in time.
    static func ask(
        _ origin: Origin, _ configuration: TLSConfiguration, on loop: any EventLoop, within limit: TimeAmount
    ) async -> PresentedCertificate? {
        guard let context = try? NIOSSLContext(configuration: configuration) else { return nil }
        let answer = loop.makePromise(of: PresentedCertificate?.self)
        // The first of them counts.
        let alarm = loop.scheduleTask(in: limit) { answer.succeed(nil) }
        answer.futureResult.whenComplete { _ in alarm.cancel() }
        ClientBootstrap(group: loop).connectTimeout(limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let isName = (try? SocketAddress(ipAddress: origin.host, port: origin.port)) == nil
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(
                            context: context, serverHostname: isName ? origin.host : nil,
                            customVerificationCallback: { chain, verdict in
                                answer.succeed(chain.first.map(PresentedCertificate.init))
                                verdict.succeed(.failed)
                            }))
                }
            }
            .connect(host: origin.host, port: origin.port)
            .whenComplete { result in
                guard case .success(let channel) = result else { return answer.succeed(nil) }
                channel.closeFuture.whenComplete { _ in answer.succeed(nil) }
                answer.futureResult.whenComplete { _ in channel.close(promise: nil) }
            }
        return try? await answer.futureResult.get()
    }

    private init(_ certificate: NIOSSLCertificate) {
        validFrom = Date(timeIntervalSince1970: TimeInterval(certificate.notValidBefore))
        validTo = Date(timeIntervalSince1970: TimeInterval(certificate.notValidAfter))
    }
}
