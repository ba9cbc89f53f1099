import StrataConcurrency
public import StrataDomain

/// A monitor that says what it is told, and tells whether it was heard.
public final class ManualConnectivity: ConnectivityMonitor {
    private struct Observer {
        var seen: Connectivity?
        /// Asks for the next state.
        var waiting: CheckedContinuation<Connectivity?, Never>?
    }

    private struct Watcher {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var current: Connectivity
        var nextID = 0
        var observers: [Int: Observer] = [:]
        var watchers: [Watcher] = []

        /// Takes out the watchers whose observers have all caught up.
        mutating func met() -> [Watcher] {
            let caughtUp = observers.values.count { $0.waiting != nil }
            defer { watchers.removeAll { $0.count <= caughtUp } }
            return watchers.filter { $0.count <= caughtUp }
        }
    }

    private let state: Mutex<State>

    /// - Parameter state: Default online.
    public init(_ state: Connectivity = .online) { self.state = Mutex(State(current: state)) }

    /// Observers at this moment.
    public var observers: Int { state.withLock(\.observers.count) }

    /// Changes the state and tells its readers.
    public func set(_ connectivity: Connectivity) {
        let waiting = state.withLock { state in
            state.current = connectivity
            return state.observers.compactMap { id, observer -> CheckedContinuation<Connectivity?, Never>? in
                guard observer.seen != connectivity, let waiting = observer.waiting else { return nil }
                state.observers[id] = Observer(seen: connectivity)
                return waiting
            }
        }
        for continuation in waiting { continuation.resume(returning: connectivity) }
    }

    public func states() -> ConnectivityStates {
        let id = state.withLock { state in
            state.nextID += 1
            state.observers[state.nextID] = Observer()
            return state.nextID
        }
        let place = Place { [weak self] in self?.leave(id) }
        return ConnectivityStates(AsyncStream { await place.hold { await self.next(for: id) } })
    }

    /// Returns once `count` observers have taken in the current state and ask for the next one.
    public func waitUntilSeen(by count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let met = state.withLock { state in
                state.watchers.append(Watcher(count: count, continuation: continuation))
                return state.met()
            }
            for watcher in met { watcher.continuation.resume() }
        }
    }

    private func next(for id: Int) async -> Connectivity? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (answer, met) = state.withLock { state -> (Connectivity??, [Watcher]) in
                    guard var observer = state.observers[id] else { return (.some(nil), []) }
                    defer { state.observers[id] = observer }
                    if observer.seen != state.current {
                        observer.seen = state.current
                        return (state.current, [])
                    }
                    observer.waiting = continuation
                    state.observers[id] = observer
                    return (nil, state.met())
                }
                if let answer { continuation.resume(returning: answer) }
                for watcher in met { watcher.continuation.resume() }
            }
        } onCancel: {
            leave(id)
        }
    }

    private func leave(_ id: Int) {
        let observer = state.withLock { $0.observers.removeValue(forKey: id) }
        observer?.waiting?.resume(returning: nil)
    }

    /// An observer's place, given up with the last reference to its sequence.
    private final class Place: Sendable {
        private let leave: @Sendable () -> Void
        init(leave: @escaping @Sendable () -> Void) { self.leave = leave }
        deinit { leave() }
        func hold(_ body: () async -> Connectivity?) async -> Connectivity? { await body() }
    }
}
