/// An interceptor that builds its own link of the chain, so that a call of it needs no look-up of what it is.
protocol Linked: Interceptor {
    func linked(to next: @escaping Next) -> Next
}

extension Linked {
    func linked(to next: @escaping Next) -> Next {
        { request, receive in try await intercept(request, receive: receive, next: next) }
    }
}

extension CoalescingInterceptor: Linked {}
extension DeadlineWatchInterceptor: Linked {}
extension TimeLimitInterceptor: Linked {}

/// Steps as a link of the chain. Made where their types are known, which lets the compiler make one piece of code of them.
struct Link: Linked {
    /// Outermost first.
    let steps: [any Interceptor]
    private let build: @Sendable (@escaping Next) -> Next

    init<Steps: Step>(_ step: Steps) {
        steps = step.steps
        build = { next in { request, receive in try await step.run(request, receive: receive, next: next) } }
    }

    func linked(to next: @escaping Next) -> Next { build(next) }

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        try await build(next)(request, receive)
    }
}
