import StrataConcurrency
import StrataDomain

/// One state for many observers. Its driver runs only while there are observers.
final class ConnectivityBroadcast: ConnectivityMonitor {
    /// Finds states and publishes them until its task is cancelled. What it publishes after that is dropped.
    typealias Driver = @Sendable (_ publish: @escaping @Sendable (Connectivity) -> Void) async -> Void

    private struct State {
        /// `nil` without observers.
        var current: Connectivity?
        var observers: [Int: AsyncStream<Connectivity>.Continuation] = [:]
        var nextID = 0
        var run: Task<Void, Never>?
        /// Counts the runs of the driver, so that a late state of an earlier run does not count.
        var generation = 0

        mutating func publish(_ connectivity: Connectivity) {
            guard connectivity != current else { return }
            current = connectivity
            for observer in observers.values { observer.yield(connectivity) }
        }
    }

    private let state = Mutex(State())
    private let driver: Driver

    init(driver: @escaping Driver) { self.driver = driver }

    /// Publishes a state that the driver does not know. Without observers it is dropped.
    func publish(_ connectivity: Connectivity) {
        state.withLock { if $0.run != nil { $0.publish(connectivity) } }
    }

    func states() -> ConnectivityStates {
        let (stream, observer) = AsyncStream.makeStream(of: Connectivity.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.nextID += 1
            state.observers[state.nextID] = observer
            if let current = state.current { observer.yield(current) }
            if state.run == nil { state.run = start(generation: state.generation) }
            return state.nextID
        }
        // The observer holds this object, which lives as long as it is observed.
        observer.onTermination = { _ in self.leave(id) }
        return ConnectivityStates(stream)
    }

    private func start(generation: Int) -> Task<Void, Never> {
        Task { [weak self, driver] in
            await driver { [weak self] connectivity in
                self?.state.withLock { state in
                    if state.generation == generation { state.publish(connectivity) }
                }
            }
        }
    }

    private func leave(_ id: Int) {
        let run = state.withLock { state -> Task<Void, Never>? in
            state.observers[id] = nil
            guard state.observers.isEmpty else { return nil }
            state.generation += 1
            state.current = nil
            return state.run.take()
        }
        run?.cancel()
    }
}
