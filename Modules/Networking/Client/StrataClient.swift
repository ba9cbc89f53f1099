@_exported public import StrataAsyncHTTP
@_exported public import StrataDomain
@_exported public import StrataHTTP
@_exported public import StrataNetworking
@_exported public import StrataTokens

#if Client || All
    @_exported public import StrataCaching
#endif

#if !AsyncHTTP && !Client && !All
    #error("StrataClient needs the trait 'AsyncHTTP': name it in 'traits:' where your Package.swift names Strata.")
#endif

/// The client of one API, with one import and the defaults.
///
/// ```swift
/// let client = try StrataClient("https://api.example.com", token: Secret(token))
/// let repos: [Repo] = try await client.get("/users/{name}/repos", ["name": "ada"])
/// let repo = try await client.send(GetRepo(owner: "ada", name: "engine"))
/// ```
public typealias StrataClient = HTTPAPIClient

extension HTTPAPIClient {
    /// A client with a bearer token and a transport of its own; everything else as `init(_:auth:…)`.
    ///
    /// - Parameter token: Sent as `Authorization: Bearer …` to the server of `address` and to `options.trustedOrigins`, and to no other.
    public init(
        _ address: String, token: Secret, options: ClientOptions = .standard, resilience: Resilience = .shared,
        http: AsyncHTTPOptions = .standard, interceptors: [any Interceptor] = [], cache: [any Interceptor] = []
    ) throws(OptionsError) {
        try self.init(
            address, auth: .token(token), options: options, resilience: resilience, http: http,
            interceptors: interceptors, cache: cache)
    }

    /// A client with a transport of its own, whose connections close when the last copy of the client is gone.
    ///
    /// Each call has 30 s for up to three attempts of 10 s each, with retries where a repetition is safe (`ResilienceOptions`), and at
    /// most 16 MiB of response (`ClientOptions`). `HTTPAPIClient.init(baseURL:transport:…)` has everything else.
    ///
    /// - Parameters:
    ///   - address: The base URL: `https://api.example.com/v2`. Paths of calls are put behind its path.
    ///   - auth: Default: no credential.
    ///   - resilience: Retries, limits and circuit breakers, shared by all clients of the process unless given.
    ///   - http: How it connects: certificates, proxy, timeouts.
    ///   - interceptors: Yours, around each call.
    ///   - cache: An HTTP cache, `HTTPCacheInterceptor` of StrataHTTPCache. Default: none.
    /// - Throws: A sentence for an address that is no URL of a server.
    public init(
        _ address: String, auth: AuthStyle = .none, options: ClientOptions = .standard,
        resilience: Resilience = .shared, http: AsyncHTTPOptions = .standard, interceptors: [any Interceptor] = [],
        cache: [any Interceptor] = []
    ) throws(OptionsError) {
        try self.init(
            baseURL: HTTPURL(address), transport: AsyncHTTPTransport(http), auth: auth, resilience: resilience,
            options: options, interceptors: interceptors, cache: cache)
    }
}
