public import StrataDomain

/// What the commands for any URL work with.
public struct RequestTools: Sendable {
    /// A client that all calls of one command share, so that breaker and retry budget act across them.
    ///
    /// It throws `CommandFailure` with `.usage` for settings that do not fit together.
    public let makeClient: @Sendable (RequestSettings) throws -> any RawClient
    public let makeDownloader: @Sendable (RequestSettings) throws -> any RawDownloader
    /// The absolute URL of what was asked for, secrets in its query masked.
    public let shownURL: @Sendable (String) -> String
    /// A new idempotency key.
    public let makeKey: @Sendable () -> String
    /// Measures how long calls take.
    public let clock: any Clock<Duration>

    public init(
        makeClient: @escaping @Sendable (RequestSettings) throws -> any RawClient,
        makeDownloader: @escaping @Sendable (RequestSettings) throws -> any RawDownloader,
        shownURL: @escaping @Sendable (String) -> String, makeKey: @escaping @Sendable () -> String,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.makeClient = makeClient
        self.makeDownloader = makeDownloader
        self.shownURL = shownURL
        self.makeKey = makeKey
        self.clock = clock
    }
}

/// How the calls of one command are made. What is `nil` was not given; the client's default then counts.
public struct RequestSettings: Sendable, Hashable {
    /// Total time of a call.
    public var deadline: Duration?
    public var attemptTimeout: Duration?
    /// Repeats after the first attempt.
    public var retries: Int?
    /// How long an attempt may take before a second one is sent beside it.
    public var hedgeAfter: Duration?
    /// Calls that run at once.
    public var concurrency = 1
    public var cache = RequestCache.default

    public init() {}
}

/// What the HTTP cache may do for a call.
public enum RequestCache: String, Sendable, Hashable, CaseIterable {
    /// Answers with what is fresh.
    case `default`
    /// Asks the server, and keeps the answer.
    case reload
    /// Answers with what is stored, or not at all.
    case onlyIfCached = "only-if-cached"
    /// Neither reads nor keeps anything.
    case noStore = "no-store"

    /// The request directive that says so (RFC 9111, section 5.2.1).
    var directive: String? {
        switch self {
        case .default: nil
        case .reload: "no-cache"
        case .onlyIfCached, .noStore: rawValue
        }
    }
}

/// A command that sends any request: `request`, `fetch`.
public protocol RequestConsoleCommand: ConsoleCommand where Tools == RequestTools {}
