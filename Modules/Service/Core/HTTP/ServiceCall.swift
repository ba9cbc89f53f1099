import FoundationEssentials
import HTTPTypes
public import Hummingbird
import Logging
import NIOCore
import StrataConcurrency
import StrataHTTP

/// The connection of a request.
public struct ServiceContext: InitializableFromSource, Sendable {
    /// Address of the peer; empty when there is none.
    let peer: String
    let logger: Logger
    private let channel: any Channel

    public init(source: ApplicationRequestContextSource) {
        channel = source.channel
        peer = source.channel.remoteAddress?.ipAddress ?? ""
        logger = source.logger
    }

    /// Runs tasks on the thread of the connection; `nil` on another thread.
    var executor: (any TaskExecutor)? { channel.eventLoop.inEventLoop ? LoopExecutor(channel.eventLoop) : nil }

    /// Lets the body of the current request arrive.
    func acceptBody() { channel.triggerUserOutboundEvent(ConnectionCommand.acceptBody, promise: nil) }

    /// Closes the connection at once, also during a request.
    func close() { channel.triggerUserOutboundEvent(ConnectionCommand.close, promise: nil) }
}

/// An event for the `ConnectionGuard` of a channel.
enum ConnectionCommand: Sendable {
    /// Read the body of the current request. Send `100 Continue` if its client waits for that (RFC 9110, section 10.1.1).
    case acceptBody
    /// Close at once, also during a request.
    case close
}

/// One request in the middlewares and the endpoint. A class, because each of them gets it and none changes it.
final class ServiceCall: Sendable {
    let request: Request
    /// Address of the peer of the socket; empty when there is none.
    let peer: String
    /// The client, also behind trusted proxies.
    let origin: ClientOrigin
    let receivedAt: Date
    private let start = ContinuousClock.now
    /// For the response, its problem document and log lines: the caller's `X-Request-Id` when that is a short token, otherwise a
    /// new UUID.
    let requestId: String
    private let baseLogger: Logger
    private let context: ServiceContext
    /// Where the tasks of the request run; `nil` for the cooperative pool.
    let executor: (any TaskExecutor)?
    /// Written by inner middlewares, read by outer ones.
    let notes = CallNotes()

    init(_ request: Request, from origin: ClientOrigin, at receivedAt: Date, _ context: ServiceContext, logger: Logger)
    {
        self.request = request
        self.origin = origin
        self.receivedAt = receivedAt
        self.context = context
        peer = context.peer
        requestId = Self.requestId(request.headers)
        baseLogger = logger
        executor = context.executor
    }

    private static func requestId(_ headers: HTTPFields) -> String {
        let sent = headers[values: .xRequestId]
        // A log line and a header field can show a token as it is.
        guard sent.count == 1, sent[0].utf8.count <= 64, sent[0].isToken else { return UUID.random().text }
        return sent[0]
    }

    /// Elapsed time since the request head.
    var age: Duration { ContinuousClock.now - start }

    var logLevel: Logger.Level { baseLogger.logLevel }

    /// Names the request in each line. Made where a line is written, because few requests write one.
    var logger: Logger {
        var logger = baseLogger
        logger[metadataKey: "request_id"] = "\(requestId)"
        if let trace = request.headers[.traceparent].flatMap({ TraceContext(traceparent: $0) }) {
            logger[metadataKey: "trace_id"] = "\(trace.traceId)"
        }
        return logger
    }

    /// Whether a browser asks what a page of another origin may send (CORS protocol of the Fetch standard).
    var isPreflight: Bool {
        request.method == .options && request.headers[.origin] != nil
            && request.headers[.accessControlRequestMethod] != nil
    }

    /// Call once before the body is read, when the request is accepted.
    func acceptBody() { context.acceptBody() }

    /// Closes the connection at once, without a response.
    @Sendable func closeConnection() { context.close() }
}

/// Facts about a request that inner middlewares find and outer ones report.
@dynamicMemberLookup final class CallNotes: Sendable {
    struct Notes {
        /// Template of the matched route; `nil` when none matched.
        var route: String?
        /// The key of the caller; `nil` without valid credentials.
        var principal: String?
        /// The remaining rate of the caller; `nil` for a request that is not counted.
        var quota: RateQuota?
        var body = BodyState.unread
    }

    enum BodyState: Sendable, Hashable {
        case unread
        /// Partly read.
        case interrupted
        case consumed
    }

    private let notes = Mutex(Notes())

    subscript<Value: Sendable>(dynamicMember member: any WritableKeyPath<Notes, Value> & Sendable) -> Value {
        get { notes.withLock { $0[keyPath: member] } }
        set { notes.withLock { $0[keyPath: member] = newValue } }
    }
}
