/// Names of the header fields this module sends or reads.
public enum FieldName {
    public static let accept = "Accept"
    public static let authorization = "Authorization"
    public static let contentLength = "Content-Length"
    public static let contentType = "Content-Type"
    public static let date = "Date"
    public static let idempotencyKey = "Idempotency-Key"
    public static let retryAfter = "Retry-After"
    public static let userAgent = "User-Agent"
    /// What frames a message: written by the transport, never by a caller (RFC 9112, sections 6 and 7).
    static let framing: Set<String> = [
        "content-length", "transfer-encoding", "connection", "host", "te", "upgrade", "trailer", "keep-alive",
        "proxy-connection",
    ]
    /// Milliseconds the client will go on waiting for this attempt, a decimal integer; a backend stops its work then.
    public static let requestDeadline = "X-Request-Deadline-Ms"
    /// The place in a distributed trace (W3C Trace Context).
    public static let traceparent = "traceparent"
    /// Names one logical call; the same over all its attempts.
    public static let requestId = "X-Request-Id"
}
