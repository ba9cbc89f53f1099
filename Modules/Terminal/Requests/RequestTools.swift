public import ArgumentParser
public import StrataDomain

/// The tools of `request` and `fetch`.
public struct RequestTools: Sendable {
    /// The client of all calls of one command, which share circuit breaker and retry budget.
    ///
    /// Throws `CommandFailure` with `.usage` for contradictory options.
    public let makeClient: @Sendable (RequestSettings) throws -> any RawClient
    /// Makes what downloads with these settings.
    public let makeDownloader: @Sendable (RequestSettings) throws -> any RawDownloader
    /// The absolute URL of the request, with secrets in the query masked.
    public let shownURL: @Sendable (String) -> String
    /// The request as a curl command, with variables of the shell in place of credentials. Sends nothing.
    public let curl: @Sendable (RawRequest, CallOptions) throws -> String
    /// A new idempotency key.
    public let makeKey: @Sendable () -> String
    /// Measures how long calls take.
    public let clock: any Clock<Duration>

    /// Tools that send requests.
    public init(
        makeClient: @escaping @Sendable (RequestSettings) throws -> any RawClient,
        makeDownloader: @escaping @Sendable (RequestSettings) throws -> any RawDownloader,
        shownURL: @escaping @Sendable (String) -> String,
        curl: @escaping @Sendable (RawRequest, CallOptions) throws -> String, makeKey: @escaping @Sendable () -> String,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.makeClient = makeClient
        self.makeDownloader = makeDownloader
        self.shownURL = shownURL
        self.curl = curl
        self.makeKey = makeKey
        self.clock = clock
    }
}

/// The options of the calls of one command. `nil` means the default of the client.
public struct RequestSettings: Sendable, Hashable {
    /// Total time limit of a call.
    public var deadline: Duration?
    /// After how long an attempt ends; `nil` for the default.
    public var attemptTimeout: Duration?
    /// Retries after the first attempt.
    public var retries: Int?
    /// The hedging delay.
    public var hedgeAfter: Duration?
    /// Maximum number of concurrent calls.
    public var concurrency = 1
    /// How the cache is used.
    public var cache = RequestCache.default

    /// The defaults.
    public init() {}
}

/// How a call uses the HTTP cache.
public enum RequestCache: String, Sendable, Hashable, CaseIterable, ExpressibleByArgument {
    /// Serves fresh responses.
    case `default`
    /// Asks the server and stores its response.
    case reload
    /// Asks the server whether the stored response is current.
    case revalidate
    /// Serves a stored response, also a stale one, and asks the server without one.
    case stale
    /// Serves a stored response, or fails.
    case onlyIfCached = "only-if-cached"
    /// Neither reads nor stores a response.
    case noStore = "no-store"

    /// The request directive (RFC 9111, section 5.2.1).
    var directive: String? {
        switch self {
        case .default: nil
        case .reload: "no-cache"
        case .revalidate: "max-age=0"
        case .stale: "max-stale"
        case .onlyIfCached, .noStore: rawValue
        }
    }
}

/// A command that sends any request: `request`, `fetch`.
public protocol RequestConsoleCommand: ConsoleCommand where Tools == RequestTools {}
