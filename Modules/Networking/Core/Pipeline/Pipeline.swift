import Logging
public import StrataDomain

/// An ordered list of interceptors around a transport.
public struct Pipeline: Sendable {
    /// Outermost first.
    public let interceptors: [any Interceptor]
    /// The whole chain, built once.
    private let first: Next

    /// - Parameter interceptors: Outermost first.
    public init(_ interceptors: [any Interceptor], transport: any Transport) {
        self.interceptors = interceptors.flatMap { interceptor in
            (interceptor as? Link)?.steps ?? [interceptor]
        }
        var next: Next = { request, receive in try await transport.send(request, receive: receive) }
        for interceptor in interceptors.reversed() {
            // Not as one expression: an optional closure is wrapped, and so is each of its arguments in each call.
            if let interceptor = interceptor as? any Linked {
                next = interceptor.linked(to: next)
            } else {
                next = Self.link(interceptor, next)
            }
        }
        first = next
    }

    private static func link(_ interceptor: any Interceptor, _ next: @escaping Next) -> Next {
        { request, receive in try await interceptor.intercept(request, receive: receive, next: next) }
    }

    public func send(_ request: ClientRequest, receive: @escaping Receive) async throws {
        try await first(request, receive)
    }

    /// Sends `request` and returns what `receive` made of the response.
    public func send<Result: Sendable>(
        _ request: ClientRequest, receiving receive: @escaping @Sendable (ClientResponse) async throws -> Result
    ) async throws -> Result {
        let result = Locked<Result?>(nil)
        try await send(request) { response in result.value = try await receive(response) }
        guard let value = result.value else {
            throw NetworkError(.unexpected("the pipeline ended without an answer"))
        }
        return value
    }
}

extension Pipeline {
    /// The pipeline of this project, in the one order that is right: what stands above bounds and sees all that is below.
    ///
    /// What nobody has asked for, such as hedging, is left out.
    ///
    /// - Parameters:
    ///   - coalescing: Lets equal reads share one answer, and one refresh.
    ///   - cache: Answers without sending anything, if there is one.
    ///   - redirects: Each hop passes everything below it, with the credential of its own origin or none.
    static func standard(
        _ resilience: Resilience, coalescing: CoalescingInterceptor, cache: [any Interceptor],
        redirects: RedirectInterceptor, auth: AuthInterceptor,
        log: LogInterceptor, transport: any Transport
    ) -> Pipeline {
        let options = resilience.options
        let retry = RetryInterceptor(
            policy: options.retry, budget: options.budget, wallClock: resilience.wallClock, random: resilience.random)
        let call = EventInterceptor().around(DeadlineInterceptor())
        let watch = cache.allSatisfy(\.keepsDeadline) ? [] : [DeadlineWatchInterceptor()]
        let attempts = redirects.around(auth).around(retry)
        let attempt = PauseInterceptor(pauses: resilience.pauses, longest: options.retry.longestRetryAfter)
            .around(CircuitBreakerInterceptor(breaker: resilience.breaker))
            .around(ConcurrencyLimitInterceptor(limiter: resilience.limiter))
            .around(AttemptTimeoutInterceptor(timeout: options.attemptTimeout))
            .around(TraceInterceptor())
            .around(log)
            .around(DecompressionInterceptor())
        let hedge = options.hedge.map { hedge in
            HedgeInterceptor(
                options: hedge, budget: options.budget, isFailure: { RetryPolicy.transientStatuses.contains($0) })
        }
        let sending: [any Interceptor] =
            hedge.map { [Link(attempts), $0, Link(attempt)] } ?? [Link(attempts.around(attempt))]
        return Pipeline(
            [Link(call)] + watch + [coalescing] + cache + sending
                + [TimeLimitInterceptor(transportKeepsLimits: transport.keepsLimits)],
            transport: transport)
    }

    /// The pipeline of an intermediary: what it is asked goes out as it came, and comes back as it is.
    ///
    /// - Parameters:
    ///   - cache: Answers for the origin where it may.
    ///   - retries: After the first attempt; nothing is repeated with 0.
    public static func relaying(
        cache: [any Interceptor], retries: Int = 0, transport: any Transport,
        wallClock: any WallClock = SystemWallClock()
    ) throws(OptionsError) -> Pipeline {
        let retry = RetryInterceptor(
            policy: try RetryPolicy(attempts: retries + 1), budget: .standard, wallClock: wallClock,
            random: systemRandomFraction)
        return Pipeline(cache + (retries > 0 ? [retry] : []), transport: transport)
    }
}
