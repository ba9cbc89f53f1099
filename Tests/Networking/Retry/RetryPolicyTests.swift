import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct RetryPolicyTests {
    private let get = RetrySubject(.get, hasIdempotencyKey: false)
    private let post = RetrySubject(.post, hasIdempotencyKey: false)
    private let keyedPost = RetrySubject(.post, hasIdempotencyKey: true)

    private func retries(
        _ failure: RetryFailure, of subject: RetrySubject, attempt: Int = 1, remaining: Duration? = nil,
        random: Double = 0.5, by policy: RetryPolicy = .standard
    ) -> Duration? {
        let decision = policy.decide(failure, attempt: attempt, of: subject, remaining: remaining, random: random)
        if case .retry(let wait, _) = decision { return wait } else { return nil }
    }

    @Test(arguments: HTTPMethod.common)
    func `repeats every method when provably nothing was sent`(method: HTTPMethod) {
        #expect(retries(.unsent, of: RetrySubject(method, hasIdempotencyKey: false)) != nil)
    }

    @Test(
        arguments: [
            (HTTPMethod.get, true), (.head, true), (.put, true), (.delete, true), (.post, false), (.patch, false),
        ])
    func `repeats what may have taken effect only when that is harmless`(method: HTTPMethod, isRepeated: Bool) {
        for failure in [RetryFailure.ambiguous, .status(503, retryAfter: nil), .status(429, retryAfter: .seconds(1))] {
            #expect((retries(failure, of: RetrySubject(method, hasIdempotencyKey: false)) != nil) == isRepeated)
            #expect(retries(failure, of: RetrySubject(method, hasIdempotencyKey: true)) != nil)
        }
    }

    @Test(arguments: 400...599)
    func `the standard preset repeats six statuses, the network preset none`(status: Int) {
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

    @Test func `a body that is gone is not sent again`() {
        let oneShot = RetrySubject(.put, hasIdempotencyKey: true, isReplayable: false)
        #expect(retries(.unsent, of: oneShot) == nil)
    }

    @Test func `stops after the last attempt, and after what cannot be helped`() {
        #expect(retries(.unsent, of: get, attempt: 2) != nil)
        #expect(retries(.unsent, of: get, attempt: 3) == nil)
        #expect(retries(.permanent, of: get) == nil)
        #expect(retries(.unsent, of: get, by: .never) == nil)
    }

    @Test(arguments: [(1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (5, 16.0), (6, 20.0), (19, 20.0)])
    func `the bound of the wait doubles up to its cap`(attempt: Int, bound: Double) throws {
        let policy = try RetryPolicy(attempts: 20)
        #expect(retries(.unsent, of: get, attempt: attempt, random: 1, by: policy) == .seconds(bound))
        #expect(retries(.unsent, of: get, attempt: attempt, random: 0, by: policy) == .zero)
    }

    @Test func `jitter is spread over the whole range`() {
        let random = SeededRandom.fractions(seed: 7)
        let waits = (0..<10_000).compactMap { _ in retries(.unsent, of: get, random: random()) }
        let mean = waits.reduce(Duration.zero, +) / waits.count
        #expect(waits.allSatisfy { (.zero...(.seconds(1))).contains($0) })
        #expect((Duration.milliseconds(480)...(.milliseconds(520))).contains(mean))
        #expect(waits.filter { $0 < .milliseconds(100) }.count > 800)
    }

    @Test func `a huge multiplier or a zero base does not overflow`() throws {
        let steep = try RetryPolicy(attempts: 20, multiplier: .greatestFiniteMagnitude)
        #expect(retries(.unsent, of: get, attempt: 19, random: 1, by: steep) == .seconds(20))
        let none = try RetryPolicy(attempts: 20, baseDelay: .zero, multiplier: .greatestFiniteMagnitude)
        #expect(retries(.unsent, of: get, attempt: 19, random: 1, by: none) == .zero)
    }

    @Test func `waits as the server asks, up to the cap`() {
        #expect(retries(.status(503, retryAfter: .seconds(7)), of: get) == .seconds(7))
        #expect(retries(.status(503, retryAfter: .zero), of: get) == .zero)
        #expect(retries(.status(429, retryAfter: .seconds(484_289 * 3600)), of: get) == .seconds(30))
    }

    @Test func `never begins a wait that would pass the deadline`() {
        #expect(retries(.status(503, retryAfter: .seconds(7)), of: get, remaining: .seconds(7)) == nil)
        #expect(retries(.status(503, retryAfter: .seconds(7)), of: get, remaining: .seconds(8)) == .seconds(7))
        #expect(retries(.unsent, of: get, remaining: .zero, random: 0) == nil)
    }

    @Test(arguments: [
        (NetworkError.Kind.offline("x"), RetryFailure.unsent), (.connectionLost("x"), .ambiguous),
        (.timeout, .ambiguous),
        (.rateLimited(retryAfter: .seconds(3)), .status(429, retryAfter: .seconds(3))),
        (.server(502, nil), .status(502, retryAfter: nil)), (.tls("x"), .permanent), (.cancelled, .permanent),
        (.invalidResponse("x"), .permanent), (.invalidRequest("x"), .permanent), (.notFound(nil), .permanent),
        (.unauthorized(nil), .permanent),
    ])
    func `sorts failures by what repeating could do`(kind: NetworkError.Kind, failure: RetryFailure) {
        #expect(RetryFailure(NetworkError(kind)) == failure)
    }

    @Test func `an unknown error and a cancellation are permanent`() {
        struct Odd: Error {}
        #expect(RetryFailure(Odd()) == .permanent)
        #expect(RetryFailure(CancellationError()) == .permanent)
    }
}
