/// Options of one call. What it leaves out comes from `Endpoint.options`, then from the client.
public struct CallOptions: Sendable, Hashable {
    /// Names one logical write, over retries and restarts. Default: none; then a POST is not retried.
    public var idempotencyKey: String?
    /// Total time of the call. Default: the client's; none for a stream.
    public var deadline: CallDeadline
    /// Time of one attempt, for a request that the server answers late on purpose. For a stream: until its head. Default: the
    /// client's.
    public var attemptTimeout: Duration?
    /// The longest silence of the server while the client waits for it, for the head too; more than zero. Default: the
    /// transport's, 60 s.
    public var idleTimeout: Duration?
    /// How often the call is sent. Default: as the client's retry policy says.
    public var retry: CallRetry
    /// Header fields that replace the endpoint's and the client's fields of the same names. Default: none.
    public var headers: HeaderFields
    /// Whether the call opens an event stream again, whose server may be away for a moment. Default: no.
    package var isReconnection = false

    /// Options of one call; what is left out is as the client has it.
    public init(
        idempotencyKey: String? = nil, deadline: CallDeadline = .inherited, attemptTimeout: Duration? = nil,
        idleTimeout: Duration? = nil, retry: CallRetry = .inherited, headers: HeaderFields = [:]
    ) {
        self.idempotencyKey = idempotencyKey
        self.deadline = deadline
        self.attemptTimeout = attemptTimeout
        self.idleTimeout = idleTimeout
        self.retry = retry
        self.headers = headers
    }

    /// - Parameter deadline: `nil` inherits it.
    // Disfavoured, so that `.none` is `CallDeadline.none` and not an absent duration.
    @_disfavoredOverload
    public init(
        idempotencyKey: String? = nil, deadline: Duration?, attemptTimeout: Duration? = nil,
        idleTimeout: Duration? = nil, retry: CallRetry = .inherited, headers: HeaderFields = [:]
    ) {
        self.init(
            idempotencyKey: idempotencyKey, deadline: deadline.map { .after($0) } ?? .inherited,
            attemptTimeout: attemptTimeout, idleTimeout: idleTimeout, retry: retry, headers: headers)
    }

    /// These options, and for each that is not stated here the one of `other`. Of header fields with one name, these win.
    public func overlaying(_ other: CallOptions) -> CallOptions {
        var options = CallOptions(
            idempotencyKey: idempotencyKey ?? other.idempotencyKey, deadline: deadline.or(other.deadline),
            attemptTimeout: attemptTimeout ?? other.attemptTimeout, idleTimeout: idleTimeout ?? other.idleTimeout,
            retry: retry.or(other.retry),
            headers: HeaderFields(other.headers.filter { headers[$0.name] == nil }.fields + headers.fields))
        options.isReconnection = isReconnection || other.isReconnection
        return options
    }
}
