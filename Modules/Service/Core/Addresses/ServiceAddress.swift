import StrataConcurrency
import StrataSystem

/// The URL of a service: issuer of its tokens, base of its links, and the host that requests must name.
public final class ServiceAddress: Sendable {
    private let publicURL: PublicURL?
    private let host: String
    private let listening: Mutex<String>

    /// - Parameters:
    ///   - publicURL: Default: the address the service listens at.
    ///   - host: Name or address to listen at.
    ///   - port: With 0 the port is known once the service listens.
    public init(publicURL: PublicURL? = nil, host: String, port: Int) {
        self.publicURL = publicURL
        self.host = host.lowercased()
        listening = Mutex(Self.url(host, port))
    }

    /// Scheme, host and port without a trailing slash.
    public var url: String { publicURL?.description ?? listening.withLock { $0 } }

    /// Sets the listening address. A Unix-domain socket has no URL and changes nothing.
    func listens(at url: String) {
        guard url.hasPrefix("http://") else { return }
        listening.withLock { $0 = url }
    }

    /// Whether a `Host` field names this service.
    ///
    /// With a public URL, only its host does. Without one, these do: every IP address with any port, because ports may be
    /// forwarded; `localhost`; and the name to listen at. Another name may be an attacker's (DNS rebinding).
    func isNamed(_ authority: Authority) -> Bool {
        if let publicURL { return publicURL.names(authority) }
        return authority.address != nil || authority.host == "localhost" || authority.host == host
    }

    static func url(_ host: String, _ port: Int) -> String { "http://\(Authority.text(host, port))" }
}
