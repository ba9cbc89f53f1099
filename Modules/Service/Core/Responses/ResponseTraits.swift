/// A response with a secret. It is sent with `Cache-Control: no-store` (RFC 6749, section 5.1) and is not stored for an
/// `Idempotency-Key`.
public protocol NoStore {}

/// An endpoint with its own limit of the request body in place of `ServiceLimits.maxBody`.
public protocol BodyLimited {
    /// Largest body in bytes.
    static var bodyLimit: Int { get }
}
