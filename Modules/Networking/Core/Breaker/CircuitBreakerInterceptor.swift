import StrataDomain

/// Fails fast while an origin is left alone, and tells its breaker how each attempt ended.
///
/// Connection failures, timeouts, 408 and 5xx count. Any other 4xx is a success, for the origin answered: 429 too, which
/// pauses the origin elsewhere but opens nothing. A cancelled attempt gives its permit back and counts neither way.
struct CircuitBreakerInterceptor: Step {
    let breaker: CircuitBreaker

    struct Notes: Sendable {
        let context: CallContext
        let permit: CircuitBreaker.Permit
        var status: Int?
        var isReported = false
    }

    func begin(_ request: inout ClientRequest) throws -> Notes {
        Notes(context: request.context, permit: try admit(request))
    }

    func pass(_ response: inout ClientResponse, _ notes: inout Notes) -> Bool {
        notes.status = response.head.status
        // A download may take an hour; that the origin answers is known now.
        if notes.context.receivesOnce { report(Self.outcome(of: response.head.status), &notes) }
        return true
    }

    func end(_ notes: inout Notes, _ error: (any Error)?) throws -> ClientRequest? {
        guard let error else {
            report(notes.status.map(Self.outcome(of:)) ?? .neutral, &notes)
            return nil
        }
        report(Self.outcome(of: error, status: notes.status), &notes)
        throw error
    }

    private func report(_ outcome: BreakerState.Outcome, _ notes: inout Notes) {
        guard !notes.isReported else { return }
        notes.isReported = true
        guard let change = breaker.report(outcome, notes.permit) else { return }
        notes.context.emit(.circuit(origin: notes.permit.origin.description, change))
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
