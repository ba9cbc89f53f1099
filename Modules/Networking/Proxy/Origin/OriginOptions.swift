public import StrataNetworking

/// How `OriginTransport` connects.
public struct OriginOptions: Sendable, Hashable {
    /// Time to resolve and connect. Default 5 s.
    public let connectTimeout: Duration
    /// Longest silence within an exchange before it counts as lost. Default 60 s.
    public let idleTimeout: Duration
    /// How long a connection is kept for the next request. Default 2 s: less than servers wait before they close one, because
    /// a request that meets the close is not repeated.
    public let keepTime: Duration
    /// How long `shutdown` waits for requests in flight. Default 5 s.
    public let grace: Duration

    public static let standard = OriginOptions(unchecked: .seconds(5), .seconds(60), .seconds(2), .seconds(5))

    /// - Parameters:
    ///   - connectTimeout: 1 ms to 1 h, as is `idleTimeout`.
    ///   - keepTime: Zero to 1 h, as is `grace`.
    public init(
        connectTimeout: Duration = .seconds(5), idleTimeout: Duration = .seconds(60), keepTime: Duration = .seconds(2),
        grace: Duration = .seconds(5)
    ) throws(OptionsError) {
        let times = Duration.milliseconds(1)...(.seconds(3600))
        guard times.contains(connectTimeout), times.contains(idleTimeout) else {
            throw OptionsError(
                "Connect and idle timeouts must be 1 ms to 1 h; got \(connectTimeout) and \(idleTimeout).")
        }
        guard (.zero...(.seconds(3600))).contains(keepTime), (.zero...(.seconds(3600))).contains(grace) else {
            throw OptionsError("Keep time and grace must be zero to 1 h; got \(keepTime) and \(grace).")
        }
        self.init(unchecked: connectTimeout, idleTimeout, keepTime, grace)
    }

    private init(
        unchecked connectTimeout: Duration, _ idleTimeout: Duration, _ keepTime: Duration, _ grace: Duration
    ) {
        self.connectTimeout = connectTimeout
        self.idleTimeout = idleTimeout
        self.keepTime = keepTime
        self.grace = grace
    }
}
