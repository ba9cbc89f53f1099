/// Where clients reach a service that stands behind a proxy: `https://shiftlog.example.org`. It issues tokens under
/// this name and answers to no other host.
public struct PublicURL: Sendable, Hashable, CustomStringConvertible {
    /// Scheme, host and port, without a slash at the end.
    public let description: String
    let authority: Authority
    private let scheme: String

    /// - Parameter text: `http` or `https` with host and port; a slash at the end is left out.
    /// - Returns: `nil` for anything else: RFC 8414 finds the metadata of an issuer with a path elsewhere.
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
        let host = authority.address?.isIPv4 == false ? "[\(authority.host)]" : authority.host
        description = "\(scheme)://\(host)" + (authority.port.map { ":\($0)" } ?? "")
    }

    /// Whether a `Host` field names this service. One without a port does: proxies often leave it out.
    func names(_ other: Authority) -> Bool {
        let usual = scheme == "https" ? 443 : 80
        return other.host == authority.host && (other.port == nil || other.port == authority.port ?? usual)
    }
}
