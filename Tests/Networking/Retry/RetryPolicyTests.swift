import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct RetryPolicyTests {
    private let get = RetrySubject(.get, hasIdempotencyKey: false)
    private let post = RetrySubject(.post, hasIdempotencyKey: false)

    private func retries(
        _ failure: RetryFailure, of subject: RetrySubject, attempt: Int = 1, remaining: Duration? = nil,
        random: Double = 0.5, by policy: RetryPolicy = .standard
    ) -> Duration? {
        let decision = policy.decide(failure, attempt: attempt, of: subject, remaining: remaining, random: random)
        if case .retry(let wait, _) = decision { return wait } else { return nil }
    }

    @Test(arguments: 400...599)
    func `the standard preset retries six statuses, the network preset none`(status: Int) {
        let isTransient = [408, 429, 500, 502, 503, 504].contains(status)
        #expect((retries(.status(status, retryAfter: nil), of: get) != nil) == isTransient)
        #expect(retries(.status(status, retryAfter: nil), of: get, by: .networkOnly) == nil)
    }

    @Test func `a server that takes no connection may be asked less often and sooner than one that fails`() throws {
        let policy = try RetryPolicy(attempts: 3, unsentAttempts: 2, unsentDelay: .milliseconds(200))
        #expect(retries(.unsent, of: get, random: 1, by: policy) == .milliseconds(200))
        #expect(retries(.unsent, of: get, attempt: 2, by: policy) == nil)
        #expect(retries(.ambiguous, of: get, random: 1, by: policy) == .seconds(1))
        #expect(retries(.status(503, retryAfter: nil), of: get, attempt: 2, by: policy) != nil)
        #expect(throws: OptionsError.self) { try RetryPolicy(attempts: 3, unsentAttempts: 4) }
        #expect(throws: OptionsError.self) { try RetryPolicy(attempts: 3, unsentAttempts: 0) }
        #expect(throws: OptionsError.self) { try RetryPolicy(attempts: 3, unsentDelay: .seconds(21)) }
    }

    @Test(arguments: [(1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (5, 16.0), (6, 20.0), (19, 20.0)])
    func `the bound of the wait doubles up to its cap`(attempt: Int, bound: Double) throws {
        let policy = try RetryPolicy(attempts: 20)
        #expect(retries(.unsent, of: get, attempt: attempt, random: 1, by: policy) == .seconds(bound))
        #expect(retries(.unsent, of: get, attempt: attempt, random: 0, by: policy) == .zero)
    }

    @Test func `waits as the server asks, up to the cap`() {
        #expect(retries(.status(503, retryAfter: .seconds(7)), of: get) == .seconds(7))
        #expect(retries(.status(503, retryAfter: .zero), of: get) == .milliseconds(500))
        #expect(retries(.status(429, retryAfter: .seconds(-9)), of: get) == .milliseconds(500))
        #expect(retries(.status(429, retryAfter: .seconds(484_289 * 3600)), of: get) == .seconds(30))
    }

    @Test(arguments: [
        (NetworkError.Kind.offline("x"), RetryFailure.unsent), (.connectionLost("x"), .ambiguous),
        (.timeout, .ambiguous),
        (.rateLimited(retryAfter: .seconds(3)), .status(429, retryAfter: .seconds(3))),
        (.server(502, nil), .status(502, retryAfter: nil)), (.tls("x"), .permanent), (.cancelled, .permanent),
        (.invalidResponse("x"), .permanent), (.invalidRequest("x"), .permanent), (.notFound(nil), .permanent),
        (.unauthorized(nil), .permanent),
    ])
    func `each kind of error has its retry failure`(kind: NetworkError.Kind, failure: RetryFailure) {
        #expect(RetryFailure(NetworkError(kind)) == failure)
    }

    @Test func `an unknown error and a cancellation are permanent`() {
        struct Odd: Error {}
        #expect(RetryFailure(Odd()) == .permanent)
        #expect(RetryFailure(CancellationError()) == .permanent)
    }
}
