import StrataNetworking
import Synchronization

/// How long a server has said nothing while something was expected of it.
///
/// AsyncHTTPClient would do so with a timer of its own for every part of a response, which costs its event loop time,
/// and would count the time in which nobody read.
final class Silence: Sendable {
    let limit: Duration
    private let time: MonotonicTime
    /// `nil` while it is not the server's turn: the request is being sent, or what arrived is not being read.
    private let beginning = Mutex<Duration?>(nil)

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
        let silentFor = beginning.withLock { $0.map { now - $0 } } ?? .zero
        return Deadline(in: limit - silentFor, on: time)
    }

    /// It is the server's turn from now on; what it said before does not count.
    func begin() {
        let now = time.now
        beginning.withLock { $0 = now }
    }

    /// It is not the server's turn.
    func pause() { beginning.withLock { $0 = nil } }
}
