import StrataSystem

/// The URL at which clients reach a service behind a proxy: `https://notes.example.org`. It is the issuer of tokens, and
/// requests for another host are refused.
public struct PublicURL: Sendable, Hashable, CustomStringConvertible {
    /// Scheme, host and port without a trailing slash.
    public let description: String
    let authority: Authority
    private let scheme: String

    /// - Parameter text: `http` or `https` with host and port; a trailing slash is removed.
    /// - Returns: `nil` for anything else, also for a path: the metadata of such an issuer has another place (RFC 8414).
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[1].hasPrefix("//"), ["http", "https"].contains(parts[0].lowercased()) else {
            return nil
        }
        let rest = parts[1].dropFirst(2)
        let named = rest.hasSuffix("/") ? rest.dropLast() : rest
        guard let authority = Authority(String(named)) else { return nil }
        self.authority = authority
        scheme = parts[0].lowercased()
        description = "\(scheme)://\(authority)"
    }

    private var usualPort: Int { scheme == "https" ? 443 : 80 }

    /// The URL as a browser sends it in `Origin`: without the usual port of the scheme (RFC 6454, section 6.2).
    var origin: String {
        "\(scheme)://\(Authority.text(authority.host, authority.port == usualPort ? nil : authority.port))"
    }

    /// Whether a `Host` field names this service. The port may be missing, because proxies often drop it.
    func names(_ other: Authority) -> Bool {
        other.host == authority.host && (other.port == nil || other.port == authority.port ?? usualPort)
    }
}
