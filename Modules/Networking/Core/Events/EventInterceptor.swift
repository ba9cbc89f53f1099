import StrataDomain

/// Reports when a call begins and how it ends. Outermost, so that its duration is what the caller waited for.
struct EventInterceptor: Interceptor {
    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let (context, time) = (request.context, request.context.deadline.time)
        let start = time.now
        let status = Locked<Int?>(nil)
        context.emit(.callStarted)
        do {
            try await next(request) { response in
                status.value = response.head.status
                try await receive(response)
            }
        } catch {
            context.emit(.callFinished(outcome: NetworkError.outcome(of: error), duration: time.now - start))
            throw error
        }
        context.emit(.callFinished(outcome: status.value.map(String.init) ?? "no answer", duration: time.now - start))
    }
}
