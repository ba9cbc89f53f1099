public import StrataNetworking
import StrataSystem

extension HTTPAPIClient {
    /// A client for a service that calls URLs which users give, such as receivers of webhooks.
    ///
    /// It connects to public addresses only, also where a name leads elsewhere at another time, follows no redirect, uses no proxy and
    /// reads at most 1 MiB of a response. Requests name whole URLs.
    ///
    /// - Parameters:
    ///   - allowsPrivateAddresses: Also connects to loopback, private and link-local addresses. Default `false`.
    ///   - options: Connect and idle timeouts, authorities; their proxy is not used.
    ///   - redaction: What logs and errors never show.
    /// - Throws: A sentence naming a value that is not possible.
    public static func outgoing(
        allowsPrivateAddresses: Bool = false, resilience: Resilience = .shared, options: AsyncHTTPOptions = .standard,
        userAgent: String = ClientOptions.userAgent, redaction: Redaction = .standard
    ) throws(OptionsError) -> HTTPAPIClient {
        let transport = AsyncHTTPTransport(options, admitting: { allowsPrivateAddresses || $0.isPublic })
        // RFC 2606: no host has this name, so a request that is no whole URL goes nowhere.
        return try HTTPAPIClient(
            baseURL: try HTTPURL("https://outgoing.invalid"), transport: transport, resilience: resilience,
            options: try ClientOptions(userAgent: userAgent, bodyLimit: 1 << 20, redaction: redaction, redirects: 0))
    }
}
