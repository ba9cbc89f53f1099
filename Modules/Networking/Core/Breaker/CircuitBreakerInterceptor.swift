import StrataConcurrency
import StrataDomain

/// Fails fast while the circuit of an origin is open, and reports to its breaker how each attempt ended.
///
/// Connection failures, timeouts, 408 and 5xx are failures. Any other response is a success. A cancelled attempt gives its
/// permit back and does not count, and neither does a failed attempt to open an event stream again: such a stream is closed over
/// and over by servers and proxies that answer all other calls. As a probe it counts.
struct CircuitBreakerInterceptor: Interceptor {
    let breaker: CircuitBreaker

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let context = request.context
        let permit = try admit(request)
        let seen = Mutex<Int?>(nil)
        var failure: (any Error)?
        do {
            try await next(request) { response in
                seen.withLock { [status = response.head.status] in $0 = status }
                // A download may take an hour; its head already says that the origin answers.
                if context.receivesOnce { report(Self.outcome(of: response.head.status), permit, context) }
                try await receive(response)
            }
        } catch { failure = error }
        let status = seen.withLock { $0 }
        if status == nil || !context.receivesOnce {
            let answered = status.map(Self.outcome(of:)) ?? .neutral
            report(failure.map { Self.outcome(of: $0, status: status) } ?? answered, permit, context)
        }
        if let failure { throw failure }
    }

    private func report(_ outcome: BreakerState.Outcome, _ permit: CircuitBreaker.Permit, _ context: CallContext) {
        let isExcused = outcome == .failure && context.isReconnection && !permit.isProbe
        guard let change = breaker.report(isExcused ? .neutral : outcome, permit) else { return }
        context.emit(.circuit(origin: permit.origin.description, change))
    }

    private func admit(_ request: ClientRequest) throws -> CircuitBreaker.Permit {
        let origin = request.url.origin
        do {
            let permit = try breaker.admit(origin)
            if permit.isProbe { request.context.emit(.circuit(origin: origin.description, .probing)) }
            return permit
        } catch {
            request.context.emit(.circuit(origin: origin.description, .rejected))
            throw error
        }
    }

    /// 408 is a timeout that the server noticed first (RFC 9110, section 15.5.9).
    static func outcome(of status: Int) -> BreakerState.Outcome {
        status >= 500 || status == 408 ? .failure : .success
    }

    static func outcome(of error: any Error, status: Int?) -> BreakerState.Outcome {
        switch (error as? NetworkError)?.kind {
        case .offline, .connectionLost, .timeout, .tls: .failure
        case .cancelled: .neutral
        case .invalidRequest: .neutral
        case .invalidResponse: status.map(outcome(of:)) ?? .failure
        default: error is CancellationError ? .neutral : status.map(outcome(of:)) ?? .neutral
        }
    }
}
