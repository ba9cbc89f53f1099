public import StrataNetworking

/// How the transport connects.
public struct AsyncHTTPOptions: Sendable, Hashable {
    /// Time to resolve and connect, TLS included. Default 5 s.
    public let connectTimeout: Duration
    /// Longest silence of a server whose turn it is, before a response counts as lost. Default 60 s.
    public let idleTimeout: Duration
    /// Connections kept to one origin. Default 16.
    public let connectionsPerOrigin: Int
    /// How long `shutdown` waits for requests in flight. Default 5 s.
    public let grace: Duration

    /// Trusted beside those of the system. Default none.
    public let authorities: CertificateAuthorities

    public static let standard = AsyncHTTPOptions(unchecked: .seconds(5), .seconds(60), 16, .seconds(5), .system)

    /// - Parameters:
    ///   - connectTimeout: 1 ms to 1 h, as is `idleTimeout`.
    ///   - connectionsPerOrigin: 1 to 10 000.
    ///   - grace: Zero to 1 h.
    public init(
        connectTimeout: Duration = .seconds(5), idleTimeout: Duration = .seconds(60), connectionsPerOrigin: Int = 16,
        grace: Duration = .seconds(5), authorities: CertificateAuthorities = .system
    ) throws(OptionsError) {
        let times = Duration.milliseconds(1)...(.seconds(3600))
        guard times.contains(connectTimeout), times.contains(idleTimeout) else {
            throw OptionsError(
                "Connect and idle timeouts must be 1 ms to 1 h; got \(connectTimeout) and \(idleTimeout).")
        }
        guard (1...10_000).contains(connectionsPerOrigin) else {
            throw OptionsError("\(connectionsPerOrigin) connections per origin are not possible; use 1 to 10000.")
        }
        guard (.zero...(.seconds(3600))).contains(grace) else {
            throw OptionsError("A grace of \(grace) is not possible; use zero to 1 h.")
        }
        self.init(unchecked: connectTimeout, idleTimeout, connectionsPerOrigin, grace, authorities)
    }

    private init(
        unchecked connectTimeout: Duration, _ idleTimeout: Duration, _ connectionsPerOrigin: Int, _ grace: Duration,
        _ authorities: CertificateAuthorities
    ) {
        self.connectTimeout = connectTimeout
        self.idleTimeout = idleTimeout
        self.connectionsPerOrigin = connectionsPerOrigin
        self.grace = grace
        self.authorities = authorities
    }
}
