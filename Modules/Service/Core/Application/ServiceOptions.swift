/// Where and how a service runs.
public struct ServiceOptions: Sendable {
    /// Name or address to listen at. Default `127.0.0.1`.
    public var host: String
    /// 0 to 65535; 0 takes a free one. Default 8080.
    public var port: Int
    public var limits: ServiceLimits
    /// Label of the log and default name in messages.
    public var name: String
    /// The service manager that started the process. A socket of its own is served instead of `host` and `port`.
    public var supervision: Supervision?
    /// What a `Host` field must name. Default: any well-formed name will do.
    public var address: ServiceAddress?
    /// Who is believed about the client of a call. Default: the socket's peer is the client.
    public var trustedProxies: TrustedProxies

    public init(
        host: String = "127.0.0.1", port: Int = 8080, limits: ServiceLimits = ServiceLimits(), name: String = "service",
        supervision: Supervision? = nil, address: ServiceAddress? = nil, trustedProxies: TrustedProxies = .none
    ) {
        self.host = host
        self.port = port
        self.limits = limits
        self.name = name
        self.supervision = supervision
        self.address = address
        self.trustedProxies = trustedProxies
    }
}
