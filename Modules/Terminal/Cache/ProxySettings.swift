/// What `cache-proxy` was asked for.
public struct ProxySettings: Sendable, Hashable {
    /// Whose cache it is (RFC 9111, section 1.1).
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        case `private`, shared
    }

    /// Where the cache keeps its responses.
    public enum Tier: String, Sendable, Hashable, CaseIterable {
        case memory, disk, both
    }

    public var host: String
    /// 0 selects a free port.
    public var port: Int
    /// `http://HOST:PORT` or `https://HOST:PORT`.
    public var origin: String
    public var mode: Mode
    public var tier: Tier
    /// Retries after the first attempt.
    public var retries: Int
}

/// What `cache-proxy` works with.
public struct ProxyTools: Sendable {
    /// Listens, says where, and returns when its task is cancelled and the last response is out.
    public let serve: @Sendable (ProxySettings, _ ready: @Sendable (String) -> Void) async throws -> Void

    public init(
        serve: @escaping @Sendable (ProxySettings, _ ready: @Sendable (String) -> Void) async throws -> Void
    ) {
        self.serve = serve
    }
}
