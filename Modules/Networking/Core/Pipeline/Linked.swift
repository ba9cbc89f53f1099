/// An interceptor that builds its own link of the chain, so that a call of it needs no look-up of what it is.
protocol Linked: Interceptor {
    func linked(to next: @escaping Next) -> Next
}

extension Linked {
    func linked(to next: @escaping Next) -> Next {
        { request, receive in try await intercept(request, receive: receive, next: next) }
    }
}

extension AttemptTimeoutInterceptor: Linked {}
extension AuthInterceptor: Linked {}
extension CircuitBreakerInterceptor: Linked {}
extension CoalescingInterceptor: Linked {}
extension ConcurrencyLimitInterceptor: Linked {}
extension DeadlineInterceptor: Linked {}
extension DecompressionInterceptor: Linked {}
extension EventInterceptor: Linked {}
extension LogInterceptor: Linked {}
extension PauseInterceptor: Linked {}
extension RedirectInterceptor: Linked {}
extension RetryInterceptor: Linked {}
extension TraceInterceptor: Linked {}
