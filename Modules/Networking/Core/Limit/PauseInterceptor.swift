import StrataDomain

/// Sends nothing to an origin that asked for a pause: a call waits until its end, or fails at once.
///
/// Stands between retry and breaker. A pause begins with an answer of 429 or 503 that has a `Retry-After`
/// (RFC 6585, section 4; RFC 9110, section 10.2.3). The retry of the same call sleeps to the same moment, so it finds the
/// pause over.
struct PauseInterceptor: Interceptor {
    let pauses: OriginPauses
    /// Upper bound of a pause, whatever the server asks.
    let longest: Duration

    /// - Throws: `.rateLimited` with the time that is left, without sending, when waiting would pass the deadline.
    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let origin = request.url.origin
        // Read again after each wait: another response may have made the pause longer.
        while let rest = pauses.remaining(of: origin) {
            guard rest < request.context.deadline.remaining, rest <= longest else {
                throw NetworkError(.rateLimited(retryAfter: rest))
            }
            request.context.emit(.paused(origin: origin.description, rest))
            try await pauses.time.sleep(for: rest)
        }
        try await next(request) { response in
            if let wait = asked(response.head) { pauses.pause(origin, for: min(wait, longest)) }
            try await receive(response)
        }
    }

    private func asked(_ head: ResponseHead) -> Duration? {
        guard head.status == 429 || head.status == 503 else { return nil }
        return RetryAfter.wait(asked: head.headers, now: pauses.wallClock.now)
    }
}
