import HTTPTypes
public import Hummingbird
import Logging
import StrataDomain

/// Answers every request: the list of middlewares, then the endpoints.
public struct ServiceResponder: HTTPResponder {
    public typealias Context = ServiceContext

    private let clock: any WallClock
    private let logger: Logger
    private let respond: ServiceMiddleware.Next

    /// - Parameter middlewares: Outermost first.
    init(
        middlewares: [any ServiceMiddleware], endpoints: EndpointResponder, clock: any WallClock, logger: Logger
    ) {
        self.clock = clock
        self.logger = logger
        respond = middlewares.around { call in try await endpoints.respond(to: call) }
    }

    public func respond(to request: Request, context: ServiceContext) async throws -> Response {
        let call = ServiceCall(
            request: request, peer: context.peer, receivedAt: clock.now.roundedToMillisecond, requestId: "",
            logger: logger)
        var response = try await respond(call)
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.status == .noContent || response.status == .notModified { response.headers[.contentLength] = nil }
        return request.method == .head ? response.createHeadResponse() : response
    }
}
