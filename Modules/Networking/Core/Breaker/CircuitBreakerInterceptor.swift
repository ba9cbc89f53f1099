import StrataDomain

/// Fails fast while an origin is left alone, and tells its breaker how each attempt ended.
///
/// Connection failures, timeouts, 408 and 5xx count. Any other 4xx is a success, for the origin answered: 429 too, which
/// pauses the origin elsewhere but opens nothing. A cancelled attempt gives its permit back and counts neither way.
struct CircuitBreakerInterceptor: Interceptor {
    let breaker: CircuitBreaker

    func intercept(_ request: ClientRequest, receive: @escaping Receive, next: @escaping Next) async throws {
        let (permit, context) = (try admit(request), request.context)
        let seen = Locked((status: Int?.none, isReported: false))
        let report: @Sendable (BreakerState.Outcome) -> Void = { outcome in
            let wasReported = seen.withLock { seen in
                defer { seen.isReported = true }
                return seen.isReported
            }
            guard !wasReported else { return }
            guard let change = breaker.report(outcome, permit) else { return }
            context.emit(.circuit(origin: permit.origin.description, change))
        }
        do {
            try await next(request) { response in
                seen.withLock { $0.status = response.head.status }
                // A download may take an hour; that the origin answers is known now.
                if context.receivesOnce { report(Self.outcome(of: response.head.status)) }
                try await receive(response)
            }
            report(seen.value.status.map(Self.outcome(of:)) ?? .neutral)
        } catch {
            report(Self.outcome(of: error, status: seen.value.status))
            throw error
        }
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
