import StrataHTTP
import StrataNetworking

/// The proxies that environment variables name, as curl reads them; a name in lower case comes first, and an empty value counts as
/// none.
struct EnvironmentProxies: Sendable, Hashable {
    private enum Choice: Sendable, Hashable {
        case proxy(UpstreamProxy)
        /// Why the variable cannot be used.
        case unusable(String)
    }

    private let http: Choice?
    private let https: Choice?
    private let exceptions: NoProxy

    init(_ variables: [String: String]) {
        // A web server hands the field `Proxy` of a request to a CGI program as `HTTP_PROXY` (httpoxy, CVE-2016-5385).
        let isCGI = variables["REQUEST_METHOD"] != nil
        let all = ["all_proxy", "ALL_PROXY"]
        http = Self.choice(["http_proxy"] + (isCGI ? [] : ["HTTP_PROXY"]) + all, variables)
        https = Self.choice(["https_proxy", "HTTPS_PROXY"] + all, variables)
        exceptions = NoProxy(Self.first(["no_proxy", "NO_PROXY"], variables)?.value ?? "")
    }

    var isEmpty: Bool { http == nil && https == nil }

    /// The proxy for `origin`; `nil` for one that is connected to directly, as each server on this machine is.
    ///
    /// - Throws: A sentence for a variable that cannot be used.
    func proxy(for origin: Origin) throws(OptionsError) -> UpstreamProxy? {
        guard let choice = origin.scheme == "https" ? https : http, !origin.isThisHost, !exceptions.contains(origin)
        else { return nil }
        switch choice {
        case .proxy(let proxy): return proxy
        case .unusable(let why): throw OptionsError(why)
        }
    }

    private static func choice(_ names: [String], _ variables: [String: String]) -> Choice? {
        guard let (name, value) = first(names, variables) else { return nil }
        do { return .proxy(try UpstreamProxy(variable: value)) } catch {
            return .unusable("the proxy in \(name) cannot be used: \(error). Correct or unset \(name)")
        }
    }

    private static func first(_ names: [String], _ variables: [String: String]) -> (name: String, value: String)? {
        for name in names {
            if let value = variables[name]?.trimmed, !value.isEmpty { return (name, value) }
        }
        return nil
    }
}
