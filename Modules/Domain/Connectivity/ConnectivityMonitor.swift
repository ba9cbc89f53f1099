/// Watches reachability.
public protocol ConnectivityMonitor: Sendable {
    /// The current state as soon as it is known, then every change, until the task is cancelled.
    ///
    /// Each call adds an observer. No state comes twice in a row. A slow observer misses intermediate states and gets the
    /// newest one.
    func states() -> ConnectivityStates
}

extension ConnectivityMonitor {
    /// The state now, once it is known.
    ///
    /// - Returns: `nil` when the task is cancelled before the state is known.
    public func current() async -> Connectivity? {
        for await state in states() { return state }
        return nil
    }
}

/// A monitor with a constant state.
public struct FixedConnectivity: ConnectivityMonitor {
    private let state: Connectivity
    /// A monitor that always says `state`.
    public init(_ state: Connectivity) { self.state = state }
    public func states() -> ConnectivityStates {
        ConnectivityStates(AsyncStream { [state] continuation in continuation.yield(state) })
    }
}
