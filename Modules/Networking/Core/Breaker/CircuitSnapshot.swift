/// What a circuit breaker knows about one origin at one moment.
public struct CircuitSnapshot: Sendable, Hashable {
    public let origin: Origin
    public let state: CircuitBreaker.State
    /// In a row, while the circuit is closed.
    public let failures: Int
    /// Calls in the window of the failure ratio; 0 where none is measured.
    public let windowCalls: Int
    public let windowFailures: Int
}
