import StrataConcurrency
import StrataNetworking

/// How long a server may send nothing while the client waits for it.
///
/// The timers of AsyncHTTPClient would also count the time in which the caller does not read and the connection is full.
final class IdleTimeout: Sendable {
    private enum Waiting {
        /// The client sends the request: the server owes nothing.
        case sending
        case forServer(since: Duration)
        /// Received bytes wait for the caller.
        case forReader
    }

    let limit: Duration
    private let time: MonotonicTime
    private let waiting = Mutex(Waiting.sending)

    init(limit: Duration, on time: MonotonicTime) {
        self.limit = limit
        self.time = time
    }

    /// - Returns: `nil` when `end` comes before the timeout could.
    convenience init?(limit: Duration, on time: MonotonicTime, unlessOver end: Deadline?) {
        if let end, end.remaining <= limit { return nil }
        self.init(limit: limit, on: time)
    }

    /// When the timeout elapses if the server goes on sending nothing.
    var end: Deadline {
        let now = time.now
        let idle = waiting.withLock { if case .forServer(let since) = $0 { now - since } else { Duration.zero } }
        return Deadline(in: limit - idle, on: time)
    }

    /// The client waits for the server from now on.
    func restart() {
        let now = time.now
        waiting.withLock { $0 = .forServer(since: now) }
    }

    /// The caller has bytes to read: the server may be held up by backpressure.
    func pause() { waiting.withLock { $0 = .forReader } }

    /// A part of the request was sent. A server that has responded already may wait for the rest of it.
    func sentPart() {
        let now = time.now
        waiting.withLock { if case .forServer = $0 { $0 = .forServer(since: now) } }
    }

    /// The whole request was sent. A server that responded before stays as it is.
    func sentAll() {
        let now = time.now
        waiting.withLock { if case .forReader = $0 { return } else { $0 = .forServer(since: now) } }
    }
}
