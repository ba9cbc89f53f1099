import StrataDomain

/// Sends nothing to an origin that asked to be left alone: a call waits until then, or fails at once.
///
/// Stands between retry and breaker. A pause begins with an answer of 429 or 503 that has a `Retry-After`
/// (RFC 6585, section 4; RFC 9110, section 10.2.3). The retry of the same call sleeps to the same moment, so it finds the
/// pause over.
struct PauseInterceptor: Step {
    let pauses: OriginPauses
    /// Upper bound of a pause, whatever the server asks.
    let longest: Duration

    /// - Returns: The origin that is asked.
    /// - Throws: `.rateLimited` with the time that is left, without sending, when waiting would pass the deadline.
    func begin(_ request: inout ClientRequest) async throws -> Origin {
        let origin = request.url.origin
        // Looked at again after each wait: another answer may have made the pause longer.
        while let rest = pauses.remaining(of: origin) {
            guard rest < request.context.deadline.remaining, rest <= longest else {
                throw NetworkError(.rateLimited(retryAfter: rest))
            }
            request.context.emit(.paused(origin: origin.description, rest))
            try await pauses.time.sleep(for: rest)
        }
        return origin
    }

    func pass(_ response: inout ClientResponse, _ origin: inout Origin) -> Bool {
        if let wait = asked(response.head) { pauses.pause(origin, for: min(wait, longest)) }
        return true
    }

    private func asked(_ head: ResponseHead) -> Duration? {
        guard head.status == 429 || head.status == 503 else { return nil }
        return RetryAfter.wait(asked: head.headers, now: pauses.wallClock.now)
    }
}
