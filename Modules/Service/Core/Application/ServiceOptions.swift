/// Address, limits and environment of a service.
public struct ServiceOptions: Sendable {
    /// Name or address to listen at. Default `127.0.0.1`.
    public var host: String
    /// 0 to 65535; 0 takes a free one. Default 8080.
    public var port: Int
    /// How much a caller may send, hold and wait.
    public var limits: ServiceLimits
    /// Label of the log and name in messages. Default `service`.
    public var name: String
    /// Version in the OpenAPI document. Default `1.0.0`.
    public var version: String
    /// Whether `/docs` shows the OpenAPI document and `/` leads to it. Default `true`.
    public var showsViewer: Bool
    /// Name and colours of `/docs`. Default: the name of the service, blue.
    public var pages: PageStyle
    /// The service manager that started the process. A socket it passes is served instead of `host` and `port`. Default:
    /// none.
    public var supervision: Supervision?
    /// The address that a `Host` field must name. Default: any well-formed name.
    public var address: ServiceAddress?
    /// Proxies whose forwarding fields are trusted. Default: none, so the peer of the socket is the client.
    public var trustedProxies: TrustedProxies
    /// Origins whose pages may call the service and read its responses. Default: none.
    public var corsOrigins: CORSOrigins

    /// The standard options, but for those that are given.
    public init(
        host: String = "127.0.0.1", port: Int = 8080, limits: ServiceLimits = ServiceLimits(), name: String = "service",
        version: String = "1.0.0", showsViewer: Bool = true,
        pages: PageStyle = .standard, supervision: Supervision? = nil, address: ServiceAddress? = nil,
        trustedProxies: TrustedProxies = .none, corsOrigins: CORSOrigins = .none
    ) {
        self.host = host
        self.port = port
        self.limits = limits
        self.name = name
        self.version = version
        self.showsViewer = showsViewer
        self.pages = pages
        self.supervision = supervision
        self.address = address
        self.trustedProxies = trustedProxies
        self.corsOrigins = corsOrigins
    }
}
