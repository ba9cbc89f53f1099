import StrataConcurrency
import StrataNetworking

/// How long a server has said nothing while something was expected of it.
///
/// AsyncHTTPClient would do so with a timer of its own for every part of a response, which costs its event loop time,
/// and would count the time in which nobody reads on a connection that is full.
final class Silence: Sendable {
    private enum Turn {
        /// The request is being sent.
        case ours
        case theirs(since: Duration)
        /// What arrived waits for whoever reads.
        case readers
    }

    let limit: Duration
    private let time: MonotonicTime
    private let turn = Mutex(Turn.ours)

    init(limit: Duration, on time: MonotonicTime) {
        self.limit = limit
        self.time = time
    }

    /// - Returns: `nil` where everything is over before a silence could be too long.
    convenience init?(limit: Duration, on time: MonotonicTime, unlessOver end: Deadline?) {
        if let end, end.remaining <= limit { return nil }
        self.init(limit: limit, on: time)
    }

    /// When the silence will have been too long, if it lasts.
    var end: Deadline {
        let now = time.now
        let silentFor = turn.withLock { if case .theirs(let since) = $0 { now - since } else { Duration.zero } }
        return Deadline(in: limit - silentFor, on: time)
    }

    /// It is the server's turn from now on; what it said before does not count.
    func begin() {
        let now = time.now
        turn.withLock { $0 = .theirs(since: now) }
    }

    /// It is the turn of whoever reads.
    func pause() { turn.withLock { $0 = .readers } }

    /// A piece of the request goes out: a server that has answered already may wait for it, and is not silent.
    func sends() {
        let now = time.now
        turn.withLock { if case .theirs = $0 { $0 = .theirs(since: now) } }
    }

    /// The request has gone out. A server that answered before was at its turn already, or waits for whoever reads.
    func hasSent() {
        let now = time.now
        turn.withLock { if case .readers = $0 { return } else { $0 = .theirs(since: now) } }
    }
}
