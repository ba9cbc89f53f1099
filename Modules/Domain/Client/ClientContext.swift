/// What a client lends to an operation of several requests: pages, polls, streams that are opened again.
public struct ClientContext: Sendable {
    /// Time on the client's monotonic clock, since any moment.
    public var now: @Sendable () -> Duration
    /// Waits on that clock. It throws when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// The clock of the client, against which times of the server are compared.
    public var wallClock: any WallClock
    /// A number from 0 up to 1, for jitter.
    public var random: @Sendable () -> Double
    /// Takes one request out of the retry budget of the base URL's origin; `false` when it is used up.
    public var mayRetry: @Sendable () -> Bool
    /// The form of JSON, where an endpoint states none.
    public var json: JSONForm
    /// The absolute URL that a reference means in a response from a URL (RFC 3986, section 5.2).
    ///
    /// It throws `.invalidResponse` for a malformed reference, and for one to an origin that is neither the client's nor trusted.
    public var resolve: @Sendable (_ reference: String, _ base: String) throws(NetworkError) -> String

    /// The context of a client; what is left out is standard.
    public init(
        now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void,
        wallClock: any WallClock, random: @escaping @Sendable () -> Double, mayRetry: @escaping @Sendable () -> Bool,
        json: JSONForm = .snakeCase,
        resolve: @escaping @Sendable (_ reference: String, _ base: String) throws(NetworkError) -> String
    ) {
        self.now = now
        self.sleep = sleep
        self.wallClock = wallClock
        self.random = random
        self.mayRetry = mayRetry
        self.json = json
        self.resolve = resolve
    }

    /// A context without budget, for a client of one's own and for tests. A reference stands for itself.
    public init(
        clock: some Clock<Duration> = ContinuousClock(), wallClock: any WallClock = SystemWallClock(),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        self = Self.measured(by: clock, wallClock, random)
    }

    private static func measured<C: Clock<Duration>>(
        by clock: C, _ wallClock: any WallClock, _ random: @escaping @Sendable () -> Double
    ) -> ClientContext {
        let start = clock.now
        return ClientContext(
            now: { start.duration(to: clock.now) }, sleep: { try await clock.sleep(for: $0) }, wallClock: wallClock,
            random: random, mayRetry: { true }, resolve: { (reference, _) throws(NetworkError) in reference })
    }

    /// Waits, with a cancellation as the error of a call.
    func pause(for wait: Duration) async throws(NetworkError) {
        do { try await sleep(wait) } catch { throw NetworkError(.cancelled) }
    }
}
