import StrataDomain
import StrataTesting

/// What became of all calls, and how chaotic it was.
struct ChaosReport: Sendable, CustomStringConvertible {
    var calls = 0
    /// Calls that never got a good answer.
    var failed: Set<Int> = []
    /// Good answers that were meant for another call.
    var mixedUp = 0
    /// Times that a call was handed in once more after the client had given up.
    var handedInAgain = 0
    var retries = 0
    var hedges = 0
    var replaysAfterRefresh = 0
    var unsent = 0
    var commits: [Int: Int] = [:]
    var server = ChaosLedger.Counts()
    var seconds = 0.0

    var duplicates: Int { commits.values.filter { $0 > 1 }.count }
    var lost: Int { (0..<calls).filter { commits[$0] == nil }.count }

    var description: String {
        """
        chaos: \(calls) calls, \(duplicates) duplicates, \(lost) lost, \(failed.count) failed in \
        \(Int(seconds * 1000)) ms; \(server.requests) requests, \(retries) retries, \(hedges) hedges, \
        \(replaysAfterRefresh) replays after 401, \(server.dropped) connections dropped after a commit, \
        \(server.refused) refused before one, \(unsent) unsent, \(server.replayed) stored answers, \
        \(handedInAgain) handed in again
        """
    }
}

/// What became of one call.
struct Ending: Sendable {
    let call: Int
    var isFailed = false
    var isMixedUp = false
    var handedInAgain = 0
}

extension ChaosReport {
    mutating func add(_ ending: Ending) {
        if ending.isFailed { failed.insert(ending.call) }
        mixedUp += ending.isMixedUp ? 1 : 0
        handedInAgain += ending.handedInAgain
    }
}

/// Counts what the client did on its own.
final class EventTally: Sendable {
    private let retries = CallCounter()
    private let hedges = CallCounter()
    private let replays = CallCounter()

    var counts: (retries: Int, hedges: Int, replays: Int) { (retries.value, hedges.value, replays.value) }

    var sink: EventSink {
        { event in
            switch event.kind {
            case .retryScheduled: self.retries.increment()
            case .hedgeStarted: self.hedges.increment()
            case .refreshFinished(failure: nil): self.replays.increment()
            default: break
            }
        }
    }
}
