import HTTPTypes
public import Hummingbird
import HummingbirdCore
import Logging
import NIOHTTP1
import StrataDomain

/// Responds to every request: the middlewares in order, then the endpoints.
public struct ServiceResponder: HTTPResponder {
    public typealias Context = ServiceContext

    private let proxies: TrustedProxies
    private let clock: any WallClock
    private let logger: Logger
    private let respond: ServiceMiddleware.Next

    /// - Parameter middlewares: Outermost first.
    init(
        middlewares: [any ServiceMiddleware], endpoints: EndpointResponder, proxies: TrustedProxies,
        clock: any WallClock, logger: Logger
    ) {
        self.proxies = proxies
        self.clock = clock
        self.logger = logger
        respond = middlewares.around { call in try await endpoints.respond(to: call) }
    }

    public func respond(to request: Request, context: ServiceContext) async throws -> Response {
        let call = ServiceCall(
            request: request, peer: context.peer,
            origin: proxies.origin(peer: context.peer, headers: request.headers),
            receivedAt: clock.now.roundedToMillisecond, requestId: "", logger: logger,
            sendContinue: context.sendContinue)
        var response = try await inOwnTask { try await respond(call) }
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.status == .noContent || response.status == .notModified { response.headers[.contentLength] = nil }
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// Runs `work` in a task that ends with it: a task keeps the memory of its deepest call until it ends, and the task of a
    /// connection lives as long as the connection.
    private func inOwnTask<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task.immediate { try await work() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension ServiceResponder {
    /// The responder of a connection without a Hummingbird application.
    func channelResponder(logger: Logger) -> HTTPChannelHandler.Responder {
        { request, writer, channel in
            let context = ServiceContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            var response: Response
            do { response = try await respond(to: request, context: context) } catch let error as HTTPParserError {
                throw error
            } catch {
                response = Response(status: .internalServerError)
            }
            response.headers[.date] = HTTPDate.string(from: clock.now)
            do { try await writer.write(response: response.head, body: response.body) } catch is HTTPParserError {
                // After a parser error the connection would send a second response head.
                throw CancellationError()
            }
        }
    }
}
