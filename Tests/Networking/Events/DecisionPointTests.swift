import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Each decision of a call is told by exactly one event; the whole timeline is written out for each.
struct DecisionPointTests {
    @Test(arguments: Decision.allCases)
    func `each decision is one event, at its place in the order`(decision: Decision) async throws {
        let told = try await decision.drive()
        #expect(told.filter { $0 == decision.rawValue }.count == 1, "\(told)")
        #expect(told == decision.timeline)
    }

    @Test func `each kind of event has a decision that emits it`() {
        // `Decision(_:)` is a switch without default: a new kind does not compile before it has a case, and a case is
        // driven above.
        let attempt = NetworkError.Attempt(number: 1, outcome: "200", decision: "done", duration: .zero)
        let kinds: [NetworkEvent.Kind] = [
            .callStarted, .attemptStarted(1), .attemptFinished(attempt),
            .retryScheduled(afterAttempt: 1, wait: .zero, reason: ""), .retryDeclined(afterAttempt: 1, reason: ""),
            .circuit(origin: "", .opened), .circuit(origin: "", .probing), .circuit(origin: "", .closed),
            .circuit(origin: "", .rejected), .hedgeStarted(2), .hedgeDeclined(reason: ""),
            .redirected(status: 302, to: ""), .redirectDeclined(status: 302, reason: ""), .joined(requestId: ""),
            .cached(CacheReport(cache: "")),
            .refreshStarted, .refreshFinished(failure: nil), .refreshFinished(failure: "offline"), .sessionEnded,
            .callFinished(outcome: "200", duration: .zero),
        ]
        #expect(Set(kinds.map { Decision($0) }) == Set(Decision.allCases))
    }
}

/// What can be decided, by the name of its event.
enum Decision: String, CaseIterable, Sendable {
    case callStarted, attemptStarted, attemptFinished, callFinished
    case retryScheduled, retryDeclined
    case opened, probing, closed, rejected
    case hedgeStarted, hedgeDeclined
    case redirected, redirectDeclined
    case joined
    case cached
    case refreshStarted, refreshed, refreshFailed, sessionEnded

    init(_ kind: NetworkEvent.Kind) {
        self =
            switch kind {
            case .callStarted: .callStarted
            case .attemptStarted: .attemptStarted
            case .attemptFinished: .attemptFinished
            case .retryScheduled: .retryScheduled
            case .retryDeclined: .retryDeclined
            case .circuit(_, .opened): .opened
            case .circuit(_, .probing): .probing
            case .circuit(_, .closed): .closed
            case .circuit(_, .rejected): .rejected
            case .hedgeStarted: .hedgeStarted
            case .hedgeDeclined: .hedgeDeclined
            case .redirected: .redirected
            case .redirectDeclined: .redirectDeclined
            case .joined: .joined
            case .cached: .cached
            case .refreshStarted: .refreshStarted
            case .refreshFinished(failure: nil): .refreshed
            case .refreshFinished: .refreshFailed
            case .sessionEnded: .sessionEnded
            case .callFinished: .callFinished
            }
    }

    /// The events of the last call that `drive` makes, in order.
    var timeline: [String] {
        let names =
            switch self {
            case .callStarted, .attemptStarted, .attemptFinished, .callFinished:
                "callStarted attemptStarted attemptFinished callFinished"
            case .retryScheduled:
                "callStarted attemptStarted attemptFinished retryScheduled attemptStarted attemptFinished callFinished"
            case .retryDeclined: "callStarted attemptStarted attemptFinished retryDeclined callFinished"
            case .opened: "callStarted attemptStarted opened attemptFinished retryDeclined callFinished"
            case .probing, .closed: "callStarted attemptStarted probing closed attemptFinished callFinished"
            case .rejected: "callStarted attemptStarted rejected attemptFinished retryDeclined callFinished"
            case .hedgeStarted:
                "callStarted attemptStarted hedgeStarted attemptFinished attemptFinished callFinished"
            case .hedgeDeclined: "callStarted attemptStarted hedgeDeclined attemptFinished callFinished"
            case .redirected:
                "callStarted attemptStarted attemptFinished redirected attemptStarted attemptFinished callFinished"
            case .redirectDeclined: "callStarted attemptStarted attemptFinished redirectDeclined callFinished"
            case .joined: "callStarted joined callFinished"
            case .cached: "callStarted cached callFinished"
            // The retry says that it leaves a 401 to the refresh.
            case .refreshStarted, .refreshed:
                "callStarted attemptStarted attemptFinished retryDeclined refreshStarted refreshed attemptStarted "
                    + "attemptFinished callFinished"
            case .refreshFailed:
                "callStarted attemptStarted attemptFinished retryDeclined refreshStarted refreshFailed callFinished"
            case .sessionEnded:
                "callStarted attemptStarted attemptFinished retryDeclined refreshStarted refreshed attemptStarted "
                    + "attemptFinished retryDeclined sessionEnded callFinished"
            }
        return names.split(separator: " ").map(String.init)
    }
}
