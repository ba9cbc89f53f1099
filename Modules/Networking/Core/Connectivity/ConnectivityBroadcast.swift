import StrataConcurrency
public import StrataDomain

/// One state for many observers. Its source runs only while there are observers.
public final class ConnectivityBroadcast: ConnectivityMonitor {
    /// Finds out states and publishes them until its task is cancelled. What a driver publishes after that is dropped.
    public typealias Driver = @Sendable (_ publish: @escaping @Sendable (Connectivity) -> Void) async -> Void

    private struct State {
        var current: Connectivity?
        var observers: [Int: AsyncStream<Connectivity>.Continuation] = [:]
        var nextID = 0
        var run: Task<Void, Never>?
        /// Number of the run of the driver, so that a late word of an earlier one does not count.
        var generation = 0

        mutating func publish(_ connectivity: Connectivity) {
            guard connectivity != current else { return }
            current = connectivity
            for observer in observers.values { observer.yield(connectivity) }
        }
    }

    private let state: Mutex<State>
    private let driver: Driver?

    /// A state that is set by `publish`.
    public init(_ current: Connectivity) {
        state = Mutex(State(current: current))
        driver = nil
    }

    /// A state that `driver` finds out, anew whenever the first observer arrives.
    public init(driver: @escaping Driver) {
        state = Mutex(State())
        self.driver = driver
    }

    /// Observers at this moment.
    public var observers: Int { state.withLock(\.observers.count) }

    /// Tells every observer, unless it is the state already.
    public func publish(_ connectivity: Connectivity) {
        state.withLock { state in
            // Unobserved, a driven state is unknown and stays so.
            guard driver == nil || state.run != nil else { return }
            state.publish(connectivity)
        }
    }

    public func states() -> ConnectivityStates {
        let (stream, observer) = AsyncStream.makeStream(of: Connectivity.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.nextID += 1
            state.observers[state.nextID] = observer
            if let current = state.current { observer.yield(current) }
            if let driver, state.run == nil { state.run = start(driver, generation: state.generation) }
            return state.nextID
        }
        // The observer holds this object, which lives as long as it is observed.
        observer.onTermination = { _ in self.leave(id) }
        return ConnectivityStates(stream)
    }

    private func start(_ driver: @escaping Driver, generation: Int) -> Task<Void, Never> {
        Task { [weak self] in
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
            guard state.observers.isEmpty, driver != nil else { return nil }
            defer { state.run = nil }
            state.generation += 1
            state.current = nil
            return state.run
        }
        run?.cancel()
    }
}
