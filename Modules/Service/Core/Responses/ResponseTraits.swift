/// A response that no cache and no log of answers may keep, because it holds a secret: it is sent with
/// `Cache-Control: no-store` (RFC 6749, section 5.1), and an `Idempotency-Key` does not make it repeatable.
public protocol NoStore {}

/// An endpoint that takes larger, or only smaller, bodies than the service's limit.
public protocol BodyLimited {
    /// Largest body in bytes.
    static var bodyLimit: Int { get }
}
