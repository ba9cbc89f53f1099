import StrataDomain

/// Bounds the attempts that run at once per origin. The others wait in the order of their arrival, until their deadline.
struct ConcurrencyLimitInterceptor: Interceptor {
    let limiter: OriginLimiter

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let origin = request.url.origin
        try await limiter.enter(origin, by: request.context.deadline)
        defer { limiter.leave(origin) }
        try await next(request, receive)
    }
}
