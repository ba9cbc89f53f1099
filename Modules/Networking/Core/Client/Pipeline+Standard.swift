import Logging
public import StrataDomain

extension Pipeline {
    /// What the pipeline of one client is made of, besides the resilience that all clients share.
    struct Parts: Sendable {
        let auth: AuthStyle
        let options: ClientOptions
        /// Origins that may see the credential.
        let trusted: Set<Origin>
        /// The user's, around the whole call.
        let interceptors: [any Interceptor]
        /// Answer without sending anything, where they may.
        let cache: [any Interceptor]
        /// The user's, around each attempt.
        let attemptInterceptors: [any Interceptor]
        let logger: Logger
    }

    /// The pipeline of an API client. An interceptor bounds and sees all that stands below it; one whose option is off is
    /// left out.
    static func standard(_ parts: Parts, _ resilience: Resilience, transport: any Transport) -> Pipeline {
        let (options, limits) = (parts.options, resilience.options)
        let list: [[(any Interceptor)?]] = [
            [EventInterceptor()],
            [DeadlineInterceptor(watches: !parts.interceptors.isEmpty || !parts.cache.isEmpty)],
            parts.interceptors,
            [
                CoalescingInterceptor(
                    auth: parts.auth, trusted: parts.trusted, hasCache: !parts.cache.isEmpty,
                    inner: parts.cache + parts.attemptInterceptors, bodyLimit: options.bodyLimit,
                    logger: parts.logger)
            ],
            parts.cache,
            [
                options.redirects == 0
                    ? nil
                    : RedirectInterceptor(
                        limit: options.redirects, trusted: parts.trusted, redaction: options.redaction)
            ],
            [
                parts.auth.isNone || parts.auth.signer != nil
                    ? nil : AuthInterceptor(style: parts.auth, origins: parts.trusted, budget: limits.budget)
            ],
            [RetryInterceptor(limits.retry, limits.budget, wallClock: resilience.wallClock, random: resilience.random)],
            [limits.hedge.map { HedgeInterceptor(options: $0, budget: limits.budget) }],
            [CircuitBreakerInterceptor(breaker: resilience.breaker)],
            [ConcurrencyLimitInterceptor(limiter: resilience.limiter)],
            [
                AttemptTimeoutInterceptor(
                    timeout: limits.attemptTimeout,
                    toldOrigins: options.callFields.contains(.deadline) ? parts.trusted : [])
            ],
            parts.attemptInterceptors,
            [
                parts.auth.signer.map {
                    SigningInterceptor(signer: $0, origins: parts.trusted, redaction: options.redaction)
                }
            ],
            [options.callFields.isEmpty ? nil : TraceInterceptor(fields: options.callFields, origins: parts.trusted)],
            [parts.logger.logLevel > .debug ? nil : LogInterceptor(logger: parts.logger, redaction: options.redaction)],
            [DecompressionInterceptor()],
        ]
        return Pipeline(list.joined().compactMap(\.self), transport: transport)
    }

    /// The pipeline of an intermediary: requests and responses pass unchanged.
    ///
    /// - Parameters:
    ///   - cache: Answers for the origin where it may.
    ///   - retries: After the first attempt; nothing is repeated with 0.
    public static func relaying(
        cache: [any Interceptor], retries: Int = 0, transport: any Transport,
        wallClock: any WallClock = SystemWallClock()
    ) throws(OptionsError) -> Pipeline {
        let retry = RetryInterceptor(
            try RetryPolicy(attempts: retries + 1), .standard, wallClock: wallClock, random: systemRandomFraction)
        return Pipeline(cache + (retries > 0 ? [retry] : []), transport: transport)
    }
}
