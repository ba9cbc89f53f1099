import StrataConcurrency

/// The URL that clients reach a service at: issuer of its tokens, start of its links, and what `Host` must name.
public final class ServiceAddress: Sendable {
    private let publicURL: PublicURL?
    private let host: String
    private let listening: Mutex<String>

    /// - Parameters:
    ///   - publicURL: Default: the address it listens at.
    ///   - host: Name or address to listen at.
    ///   - port: 0 stands for a port that is known once the service listens.
    public init(publicURL: PublicURL? = nil, host: String, port: Int) {
        self.publicURL = publicURL
        self.host = host.lowercased()
        listening = Mutex(Self.url(host, port))
    }

    /// Scheme, host and port, without a slash at the end.
    public var url: String { publicURL?.description ?? listening.withLock { $0 } }

    /// Notes the address that requests are taken at; a Unix-domain socket has none.
    func listens(at url: String) {
        guard url.hasPrefix("http://") else { return }
        listening.withLock { $0 = url }
    }

    /// Whether a `Host` field names this service.
    ///
    /// With a public URL only that one does. Without it, every address does, with any port, since ports are
    /// forwarded; so do `localhost` and the name to listen at. Any other name may be one that an attacker points here
    /// (DNS rebinding).
    func isNamed(_ authority: Authority) -> Bool {
        if let publicURL { return publicURL.names(authority) }
        return authority.address != nil || authority.host == "localhost" || authority.host == host
    }

    static func url(_ host: String, _ port: Int) -> String {
        "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}
