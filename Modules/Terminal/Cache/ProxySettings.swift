/// What `cache-proxy` was asked for.
public struct ProxySettings: Sendable, Hashable {
    /// Whose cache it is (RFC 9111, section 1.1).
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// For one user, or for many.
        case `private`, shared
    }

    /// Where the cache keeps its responses.
    public enum Tier: String, Sendable, Hashable, CaseIterable {
        /// In memory, on disk, or memory over disk.
        case memory, disk, both
    }

    /// The address that the proxy listens on.
    public var host: String
    /// 0 selects a free port.
    public var port: Int
    /// `http://HOST:PORT` or `https://HOST:PORT`.
    public var origin: String
    /// For one user, or for many.
    public var mode: Mode
    /// Where responses are kept.
    public var tier: Tier
    /// Retries after the first attempt.
    public var retries: Int
}

/// What `cache-proxy` works with.
public struct ProxyTools: Sendable {
    /// Listens, says where, and returns when its task is cancelled and the last response is out.
    public let serve: @Sendable (ProxySettings, _ ready: @Sendable (String) -> Void) async throws -> Void

    /// Tools that run a proxy.
    public init(
        serve: @escaping @Sendable (ProxySettings, _ ready: @Sendable (String) -> Void) async throws -> Void
    ) {
        self.serve = serve
    }
}
