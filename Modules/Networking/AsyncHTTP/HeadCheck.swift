import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import StrataDomain

/// Refuses heads that SwiftNIO accepts and AsyncHTTPClient misreads: a status below 100, an unknown transfer coding. Stands
/// behind the parser of a connection.
final class HeadCheck: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private let passesTransferCodings: Bool
    private var isRefused = false

    /// - Parameter passesTransferCodings: Lets a transfer coding pass that is not understood.
    init(passesTransferCodings: Bool = false) { self.passesTransferCodings = passesTransferCodings }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), let fault = fault(in: head) {
            isRefused = true
            context.fireErrorCaught(NetworkError(.invalidResponse(fault)))
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }

    /// - Returns: `nil` for a head that can be used.
    func fault(in head: HTTPResponseHead) -> String? {
        // AsyncHTTPClient takes it for an interim response, and the end of it for a defect of its own.
        guard head.status.code >= 100 else { return "\(head.status.code) is no status" }
        // Where `chunked` is not all of it, the body would be handed on in its transfer coding (RFC 9112, section 6.1).
        let codings = head.headers[canonicalForm: "Transfer-Encoding"]
        guard !passesTransferCodings, !codings.isEmpty else { return nil }
        guard codings.map({ $0.lowercased() }) == ["chunked"] else {
            return "transfer coding '\(codings.joined(separator: ", ").prefix(40))' is not understood"
        }
        return nil
    }

    /// - Parameters:
    ///   - connection: One that speaks HTTP/1.1; through a proxy, when the tunnel is made.
    ///   - isForwarded: Whether it leads to a proxy that reads its requests.
    static func install(
        in connection: any Channel, _ options: AsyncHTTPOptions, _ listeners: InterimListeners,
        isForwarded: Bool = false
    ) -> EventLoopFuture<Void> {
        connection.eventLoop.submit {
            let pipeline = connection.pipeline.syncOperations
            let parser = try pipeline.context(handlerType: ByteToMessageHandler<HTTPResponseDecoder>.self)
            let check = HeadCheck(passesTransferCodings: options.passesTransferCodings)
            var handlers: [any ChannelHandler] = [check, InterimResponses(listeners)]
            if isForwarded { handlers.append(AbsoluteForm()) }
            try pipeline.addHandlers(handlers, position: .after(parser.handler))
        }
    }
}
