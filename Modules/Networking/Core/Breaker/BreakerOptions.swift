/// When a circuit breaker opens and for how long.
public struct BreakerOptions: Sendable, Hashable {
    /// Failures in a row that open the circuit. Default 5.
    public let failures: Int
    /// How long an origin is left alone. Default 60 s.
    public let pause: Duration

    public static let standard = BreakerOptions()

    /// - Parameters:
    ///   - failures: 1 or more.
    ///   - pause: More than zero.
    public init(failures: Int, pause: Duration) throws(OptionsError) {
        guard failures >= 1 else {
            throw OptionsError("A breaker that opens after \(failures) failures never closes; use 1 or more.")
        }
        guard pause > .zero else { throw OptionsError("A breaker needs a pause longer than zero.") }
        self.failures = failures
        self.pause = pause
    }

    private init() {
        failures = 5
        pause = .seconds(60)
    }
}
