import Synchronization

/// Why another round may be due.
enum SyncReason: Sendable, Hashable {
    case timer, change
    /// The network was lost when so many rounds had begun, and is back.
    case online(lostAfter: Int)
}

/// Reasons that wait to be looked at, each kind once: one round sends and fetches everything.
final class SyncReasons: Sendable {
    /// An element whenever there is something to take; one that waits stands for all.
    let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation
    private let waiting = Mutex<[SyncReason]>([])

    init() { (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func add(_ reason: SyncReason) {
        waiting.withLock { waiting in
            if case .online = reason { waiting.removeAll { if case .online = $0 { true } else { false } } }
            if !waiting.contains(reason) { waiting.append(reason) }
        }
        waker.yield()
    }

    /// Everything that waits, earliest first; then nothing does.
    func take() -> [SyncReason] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}

/// Counts rounds: how many have begun, and which was the last that reached the server.
final class SyncRounds: Sendable {
    private let state = Mutex((begun: 0, lastDone: 0))
    var begun: Int { state.withLock(\.begun) }
    var lastDone: Int { state.withLock(\.lastDone) }

    func begin() -> Int {
        state.withLock { state in
            state.begun += 1
            return state.begun
        }
    }

    func done(_ number: Int) { state.withLock { $0.lastDone = number } }
}
