/// Watches whether a server can be expected to be reached.
public protocol ConnectivityMonitor: Sendable {
    /// The state as soon as it is known, and then every change, until the observing task is cancelled.
    ///
    /// Each call is one more observer. A state is never told twice in a row; an observer that is slow misses what is no
    /// longer true and gets the newest state.
    func states() -> ConnectivityStates
}

extension ConnectivityMonitor {
    /// The state now, once it is known.
    ///
    /// - Returns: `nil` when the task was cancelled before.
    public func current() async -> Connectivity? {
        for await state in states() { return state }
        return nil
    }
}

/// A monitor for where nothing can be watched: always the state it was given.
public struct FixedConnectivity: ConnectivityMonitor {
    private let state: Connectivity
    public init(_ state: Connectivity) { self.state = state }
    public func states() -> ConnectivityStates {
        ConnectivityStates(AsyncStream { [state] continuation in continuation.yield(state) })
    }
}
