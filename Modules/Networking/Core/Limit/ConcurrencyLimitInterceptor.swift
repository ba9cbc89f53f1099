import StrataDomain

/// Lets a fixed number of attempts per origin run at once; the others wait in order, bounded by their deadline.
struct ConcurrencyLimitInterceptor: Step {
    let limiter: OriginLimiter

    func begin(_ request: inout ClientRequest) async throws -> Origin {
        let origin = request.url.origin
        try await limiter.enter(origin, by: request.context.deadline)
        return origin
    }

    func end(_ origin: inout Origin, _ error: (any Error)?) throws -> ClientRequest? {
        limiter.leave(origin)
        if let error { throw error }
        return nil
    }
}
