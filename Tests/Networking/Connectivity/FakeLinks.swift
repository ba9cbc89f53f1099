import StrataConcurrency
import StrataSystem

@testable import StrataNetworking

/// A kernel in memory: one answer for every target, and notices that are sent by hand.
final class FakeLinks: LinkSource {
    private struct State {
        var isReachable: Bool
        var looks = 0
        var subscriptions = 0
        var open: [Int: AsyncStream<Void>.Continuation] = [:]
        var error: Errno?
    }

    private let state: Mutex<State>

    init(isReachable: Bool = true) { state = Mutex(State(isReachable: isReachable)) }

    var looks: Int { state.withLock(\.looks) }
    /// Subscriptions that have not ended.
    var observers: Int { state.withLock(\.open.count) }
    /// Subscriptions so far.
    var subscriptions: Int { state.withLock(\.subscriptions) }

    func set(isReachable: Bool) { state.withLock { $0.isReachable = isReachable } }

    /// From now on nothing can be asked; `nil` ends that.
    func fail(_ error: Errno?) { state.withLock { $0.error = error } }

    func notify() { for observer in state.withLock({ Array($0.open.values) }) { observer.yield() } }

    func endNotices() { for observer in state.withLock({ Array($0.open.values) }) { observer.finish() } }

    /// Changes the state and sends the notice.
    func change(isReachable: Bool) {
        set(isReachable: isReachable)
        notify()
    }

    func isReachable(_ target: ReachabilityTarget) async throws(Errno) -> Bool {
        try state.withLock { state in
            state.looks += 1
            return state.error.map { .failure($0) } ?? Result.success(state.isReachable)
        }.get()
    }

    func changes() throws(Errno) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (id, error) = state.withLock { state in
            state.subscriptions += 1
            if state.error == nil { state.open[state.subscriptions] = continuation }
            return (state.subscriptions, state.error)
        }
        if let error { throw error }
        continuation.onTermination = { _ in self.state.withLock { $0.open[id] = nil } }
        return stream
    }
}
