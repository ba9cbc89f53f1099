import FoundationEssentials
public import StrataDomain
public import StrataNetworking

/// Which HTTP proxy a request goes through.
///
/// An `https` URL is reached through a tunnel (CONNECT, RFC 9110, section 9.3.6), so the proxy sees the name of the server only. An
/// `http` request is handed to the proxy with its whole URL (RFC 9112, section 3.2.2). The proxy itself is reached without TLS.
public struct ProxySelection: Sendable, Hashable {
    private enum Rule: Sendable, Hashable {
        case direct
        case proxy(UpstreamProxy)
        case environment(EnvironmentProxies)
    }

    private let rule: Rule

    /// Every server is connected to directly.
    public static let none = ProxySelection(rule: .direct)

    /// What the environment of the process says when it is first asked for; see `environment(_:)`.
    public static let environment: ProxySelection = .environment(ProcessInfo.processInfo.environment)

    /// The proxies in `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY`, except for servers in `NO_PROXY` and on this machine.
    ///
    /// The names are read in lower case first, as curl does. `HTTP_PROXY` is ignored in a CGI program, where `REQUEST_METHOD` is
    /// set. A value is `http://user:password@host:port`; only the host is needed, and the default port is 1080. `NO_PROXY` holds
    /// domains, addresses and blocks of addresses, each perhaps with a port, or `*`. A request whose proxy cannot be read fails
    /// with `.invalidRequest`. `127.0.0.0/8`, `::1` and `localhost` never have a proxy.
    public static func environment(_ variables: [String: String]) -> ProxySelection {
        let proxies = EnvironmentProxies(variables)
        return ProxySelection(rule: proxies.isEmpty ? .direct : .environment(proxies))
    }

    /// One proxy for every server, those on this machine included.
    ///
    /// - Parameters:
    ///   - port: 1 to 65535.
    ///   - user: Sent to the proxy as Basic authentication, and nowhere else; `nil` sends none.
    /// - Throws: A sentence for a host, port or user that cannot be used.
    public static func http(
        host: String, port: Int, user: String? = nil, password: Secret = Secret("")
    ) throws(OptionsError) -> ProxySelection {
        ProxySelection(rule: .proxy(try UpstreamProxy(host: host, port: port, user: user, password: password)))
    }

    /// - Throws: `.invalidRequest` for a variable that cannot be used.
    func route(to origin: Origin) throws -> Route {
        let proxy: UpstreamProxy?
        switch rule {
        case .direct: return .direct
        case .proxy(let always): proxy = always
        case .environment(let proxies):
            do { proxy = try proxies.proxy(for: origin) } catch {
                throw NetworkError(.invalidRequest(error.description))
            }
        }
        guard let proxy else { return .direct }
        return origin.scheme == "https" ? .tunnel(proxy) : .forward(proxy)
    }
}

/// How a request reaches its server. Requests of one route share connections.
enum Route: Sendable, Hashable {
    case direct
    /// Over a connection that the proxy makes and does not look into.
    case tunnel(UpstreamProxy)
    /// Over the proxy, which reads the request.
    case forward(UpstreamProxy)

    var proxy: UpstreamProxy? {
        switch self {
        case .direct: nil
        case .tunnel(let proxy), .forward(let proxy): proxy
        }
    }

    /// The proxy that reads the request.
    var reader: UpstreamProxy? { if case .forward(let proxy) = self { proxy } else { nil } }
}
