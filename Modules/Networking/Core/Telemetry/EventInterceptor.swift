import StrataConcurrency
import StrataDomain

/// Reports the start and the end of a call. It is the outermost, so its duration is the time that the caller waited.
struct EventInterceptor: Interceptor {
    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let context = request.context
        let start = context.deadline.time.now
        let status = Mutex<Int?>(nil)
        context.emit(.callStarted)
        var failure: (any Error)?
        do {
            try await next(request) { response in
                status.withLock { [code = response.head.status] in $0 = code }
                try await receive(response)
            }
        } catch { failure = error }
        let outcome = failure.map(NetworkError.outcome) ?? status.withLock { $0 }.map(String.init) ?? "no answer"
        context.emit(.callFinished(outcome: outcome, duration: context.deadline.time.now - start))
        if let failure { throw failure }
    }
}
