public import StrataNetworking

/// How the transport connects.
public struct AsyncHTTPOptions: Sendable, Hashable {
    /// Time to resolve and connect, TLS included. Default 5 s.
    public private(set) var connectTimeout = Duration.seconds(5)
    /// How long a server may send nothing while the client waits for it. Default 60 s.
    public private(set) var idleTimeout = Duration.seconds(60)
    /// Connections kept to one origin; to a proxy, for all its `http` origins together. Default 16.
    public private(set) var connectionsPerOrigin = 16
    /// How long `shutdown` waits for requests in flight. Default 5 s.
    public private(set) var grace = Duration.seconds(5)
    /// Trusted beside those of the system. Default none.
    public private(set) var authorities = CertificateAuthorities.system
    /// Shown to servers that ask for a certificate of the client. Default none.
    public private(set) var identity: ClientIdentity?
    /// The proxy of a request. Default: that of the environment, as with curl, so that a program works in a network that has no
    /// other way out.
    public private(set) var proxy = ProxySelection.environment
    /// Whether a body in a transfer coding that is not understood is passed on, coded, instead of refused: for an
    /// intermediary. Default no.
    public var passesTransferCodings = false
    /// How long a connection is kept for the next request; at most 1 h. Default 60 s. Shorter than the server's own limit where
    /// requests are not retried: one that meets the end of its connection fails.
    public var keepTime = Duration.seconds(60)

    /// The defaults.
    public static let standard = AsyncHTTPOptions()

    private init() {}

    /// - Parameters:
    ///   - connectTimeout: 1 ms to 1 h, as is `idleTimeout`.
    ///   - connectionsPerOrigin: 1 to 10 000.
    ///   - grace: Zero to 1 h.
    ///   - identity: Such as `.pem(certificates: "client.pem", key: "client.key")`.
    ///   - proxy: `.environment`, `.none` or `.http(host:port:)`.
    public init(
        connectTimeout: Duration = standard.connectTimeout, idleTimeout: Duration = standard.idleTimeout,
        connectionsPerOrigin: Int = standard.connectionsPerOrigin, grace: Duration = standard.grace,
        authorities: CertificateAuthorities = standard.authorities, identity: ClientIdentity? = nil,
        proxy: ProxySelection = standard.proxy
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
        self.connectTimeout = connectTimeout
        self.idleTimeout = idleTimeout
        self.connectionsPerOrigin = connectionsPerOrigin
        self.grace = grace
        self.authorities = authorities
        self.identity = identity
        self.proxy = proxy
    }
}
