/// Names of the header fields this module sends or reads.
public enum FieldName {
    /// Media types that the client understands (RFC 9110, section 12.5.1).
    public static let accept = "Accept"
    /// The credential (RFC 9110, section 11.6.2).
    public static let authorization = "Authorization"
    /// Bytes of the body (RFC 9110, section 8.6).
    public static let contentLength = "Content-Length"
    /// The media type of the body (RFC 9110, section 8.3).
    public static let contentType = "Content-Type"
    /// When the message was made (RFC 9110, section 6.6.1).
    public static let date = "Date"
    /// The key by which a server recognises a repetition (draft-ietf-httpapi-idempotency-key-header).
    public static let idempotencyKey = "Idempotency-Key"
    /// When to try again (RFC 9110, section 10.2.3).
    public static let retryAfter = "Retry-After"
    /// Product and version of the client (RFC 9110, section 10.1.5).
    public static let userAgent = "User-Agent"
    /// What frames a message: written by the transport, never by a caller (RFC 9112, sections 6 and 7).
    static let framing: Set<String> = [
        "content-length", "transfer-encoding", "connection", "host", "te", "upgrade", "trailer", "keep-alive",
        "proxy-connection",
    ]
    /// Milliseconds the client will go on waiting for this attempt, a decimal integer; a backend stops its work then.
    package static let requestDeadline = "X-Request-Deadline-Ms"
    /// The place in a distributed trace (W3C Trace Context).
    public static let traceparent = "traceparent"
    /// Names one logical call; the same over all its attempts.
    public static let requestId = "X-Request-Id"
}
