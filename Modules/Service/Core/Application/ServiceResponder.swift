import HTTPTypes
public import Hummingbird
import HummingbirdCore
import Logging
import NIOHTTP1
import StrataDomain

/// Responds to every request: the checks of the middlewares, the endpoint, then the middlewares with the response.
public struct ServiceResponder: HTTPResponder {
    public typealias Context = ServiceContext

    private let proxies: TrustedProxies
    private let clock: any WallClock
    private let logger: Logger
    private let middlewares: [any ServiceMiddleware]
    private let endpoints: EndpointResponder
    private let spans: Spans?
    private let date = DateField()

    /// - Parameter middlewares: Outermost first.
    init(
        middlewares: [any ServiceMiddleware], endpoints: EndpointResponder, proxies: TrustedProxies,
        clock: any WallClock, spans: Spans?, logger: Logger
    ) {
        self.proxies = proxies
        self.clock = clock
        self.spans = spans
        self.logger = logger
        self.middlewares = middlewares
        self.endpoints = endpoints
    }

    public func respond(to request: Request, context: ServiceContext) async throws -> Response {
        let call = ServiceCall(
            request, from: proxies.origin(peer: context.peer, headers: request.headers),
            at: clock.now.roundedToMillisecond, context, logger: logger)
        guard let spans else { return await response(to: call) }
        return await spans.request(call) { await response(to: call) }
    }

    private func response(to call: ServiceCall) async -> Response {
        var response: Response
        do {
            for middleware in middlewares { try middleware.admit(call) }
            response = try await endpoints.respond(to: call)
        } catch {
            response = Response(error, of: call)
        }
        for middleware in middlewares.reversed() { middleware.finish(&response, of: call) }
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.status == .noContent || response.status == .notModified { response.headers[.contentLength] = nil }
        return call.request.method == .head ? response.createHeadResponse() : response
    }
}

extension ServiceResponder {
    /// The responder of a connection. It takes the place of the one that Hummingbird makes for an application, which copies the
    /// logger and binds it to the task for each request.
    func channelResponder(logger: Logger) -> HTTPChannelHandler.Responder {
        { request, writer, channel in
            let context = ServiceContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            var response: Response
            do { response = try await respond(to: request, context: context) } catch let error as HTTPParserError {
                throw error
            } catch {
                response = Response(status: .internalServerError)
            }
            response.headers[.date] = date.text(at: clock.now)
            do { try await writer.write(response: response.head, body: response.body) } catch is HTTPParserError {
                // After a parser error the connection would send a second response head.
                throw CancellationError()
            }
        }
    }
}
