import StrataDomain
import StrataHTTP
import StrataNetworking

/// An HTTP proxy that this client sends requests through.
struct UpstreamProxy: Sendable, Hashable {
    /// Where it listens: `http`, host and port.
    let origin: Origin
    /// The value of `Proxy-Authorization`: `Basic …` (RFC 7617).
    let authorization: Secret?

    /// - Throws: A sentence for a host or a port that is none, or a user that cannot be sent.
    init(host: String, port: Int, user: String?, password: Secret) throws(OptionsError) {
        origin = try Origin(scheme: "http", host: host, port: port)
        guard let user else {
            authorization = nil
            return
        }
        guard case .apiKey(let value, _) = try AuthStyle.basic(user: user, password: password) else {
            throw OptionsError("The proxy \(origin) takes a user and a password only.")
        }
        authorization = value
    }

    /// Reads the value of a variable such as `HTTPS_PROXY`: `http://user:password@host:port`, of which only the host is needed.
    /// User and password are percent-encoded. The default port is 1080, as with curl.
    ///
    /// - Throws: What is wrong with the value, without it: it may hold a password.
    init(variable text: String) throws(OptionsError) {
        var rest = text[...]
        if let mark = text.firstRange(of: "://") {
            let scheme = text[..<mark.lowerBound].lowercased()
            guard scheme == "http" else {
                let shown = Self.otherSchemes.contains(scheme) ? "'\(scheme)'" : "another scheme"
                throw OptionsError("it names a proxy of \(shown), and only http:// proxies can be used")
            }
            rest = text[mark.upperBound...]
        }
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !rest.dropFirst(authority.count).contains("@") else {
            throw OptionsError("its user or password has a character that must be percent-encoded, such as '/' as %2F")
        }
        let at = authority.lastIndex(of: "@")
        let place = at.map { authority[authority.index(after: $0)...] } ?? authority
        let (user, password) =
            try at.map { (at) throws(OptionsError) in try Self.credentials(authority[..<at]) } ?? (nil, "")
        do {
            let named = try HTTPURL("http://\(place)").origin
            let tail = place.drop { $0 != "]" }
            let port = (tail.isEmpty ? place : tail).split(separator: ":").count > 1 ? named.port : Self.defaultPort
            try self.init(host: named.host, port: port, user: user, password: Secret(password))
        } catch {
            throw OptionsError("it is no URL of a proxy; write http://host:port or http://user:password@host:port")
        }
    }

    static let authorizationField = "Proxy-Authorization"
    private static let otherSchemes: Set<String> = ["https", "socks4", "socks4a", "socks5", "socks5h", "socks"]
    private static let defaultPort = 1080

    private static func credentials(_ info: Substring) throws(OptionsError) -> (user: String?, password: String) {
        let user = info.prefix { $0 != ":" }
        guard let name = PercentEncoding.decode(user),
            let password = PercentEncoding.decode(info.dropFirst(user.count + 1))
        else { throw OptionsError("its user or password has a '%' that begins no escape; write it as %25") }
        return (name, password)
    }
}

extension UpstreamProxy: CustomStringConvertible {
    /// `http://proxy.example:3128`, without user and password.
    var description: String { origin.description }
}
