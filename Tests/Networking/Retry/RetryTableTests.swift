import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

/// The retry decision, method by method, failure by failure, with and without key, with and without its body.
struct RetryTableTests {
    /// What the method may do twice, and what repeating could do after the failure, decide alone.
    enum Class: String, CaseIterable, Sendable {
        case unsent, ambiguous, permanent, transientStatus, otherStatus

        var failures: [RetryFailure] {
            switch self {
            case .unsent: [.unsent]
            case .ambiguous: [.ambiguous]
            case .permanent: [.permanent]
            case .transientStatus:
                [408, 429, 500, 502, 503, 504].flatMap { status in
                    [RetryFailure.status(status, retryAfter: nil), .status(status, retryAfter: .seconds(1))]
                }
            case .otherStatus:
                ((400...599).filter { ![408, 429, 500, 502, 503, 504].contains($0) } + [0, 200, 399, 600, 999]).map {
                    .status($0, retryAfter: .seconds(1))
                }
            }
        }
    }

    /// Rows: failure. Columns: safe to repeat or not; with its body or not. `+` repeats.
    private static let table: [Class: (harmless: String, harmful: String)] = [
        .unsent: ("+-", "+-"),
        .ambiguous: ("+-", "--"),
        .permanent: ("--", "--"),
        .transientStatus: ("+-", "--"),
        .otherStatus: ("--", "--"),
    ]

    @Test(arguments: HTTPMethod.common, Class.allCases)
    func `follows the table`(method: HTTPMethod, failures: Class) throws {
        let row = try #require(Self.table[failures])
        for failure in failures.failures {
            for hasKey in [false, true] {
                let isHarmless =
                    hasKey || ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(method.rawValue)
                for (isReplayable, mark) in zip([true, false], isHarmless ? row.harmless : row.harmful) {
                    let subject = RetrySubject(method, hasIdempotencyKey: hasKey, isReplayable: isReplayable)
                    let decision = RetryPolicy.standard.decide(
                        failure, attempt: 1, of: subject, remaining: .seconds(30), random: 0.5)
                    let isRetried = if case .retry = decision { true } else { false }
                    #expect(isRetried == (mark == "+"), "\(failure), key \(hasKey), body \(isReplayable)")
                }
            }
        }
    }

    /// 425 asks for a request without early data, 421 for another connection: neither is ours to choose.
    @Test(arguments: [421, 425, 501, 505, 511, 521, 522, 524, 529])
    func `statuses outside the standard set can be added`(status: Int) throws {
        let failure = RetryFailure.status(status, retryAfter: nil)
        let get = RetrySubject(.get, hasIdempotencyKey: false)
        #expect(RetryPolicy.standard.decide(failure, attempt: 1, of: get, remaining: nil, random: 0).isStop)
        let wider = try RetryPolicy(attempts: 3, statuses: RetryPolicy.transientStatuses.union([status]))
        #expect(!wider.decide(failure, attempt: 1, of: get, remaining: nil, random: 0).isStop)
    }

    @Test func `no decision begins a wait that passes the deadline`() throws {
        var random = SeededRandom(seed: 3)
        let get = RetrySubject(.get, hasIdempotencyKey: false)
        for _ in 0..<20_000 {
            let remaining = Duration.milliseconds(Int.random(in: -1000...40_000, using: &random))
            let asked = Bool.random(using: &random) ? Duration.seconds(Int.random(in: 0...60, using: &random)) : nil
            let decision = RetryPolicy.standard.decide(
                .status(503, retryAfter: asked), attempt: Int.random(in: 1...2, using: &random), of: get,
                remaining: remaining, random: Double.random(in: 0..<1, using: &random))
            if case .retry(let wait, _) = decision { try #require(wait < remaining && wait >= .zero) }
        }
    }
}

extension RetryDecision {
    fileprivate var isStop: Bool { if case .stop = self { true } else { false } }
}
