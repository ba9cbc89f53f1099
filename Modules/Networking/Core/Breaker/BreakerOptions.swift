/// When a circuit breaker opens and for how long.
///
/// It opens after failures in a row, at a share of failures over a window, or at whichever comes first of both.
public struct BreakerOptions: Sendable, Hashable {
    /// Failures in a row that open the circuit; `nil` does not count them. Default 5.
    public let failures: Int?
    /// Share of failures that opens the circuit; `nil` does not measure it. Default `nil`.
    public let ratio: FailureRatio?
    /// How long an origin is left alone. Default 60 s.
    public let pause: Duration
    /// Probes that must succeed, one after the other, before the circuit closes. Default 1.
    public let successes: Int
    /// Default `.none`: every pause is equal.
    public let growth: PauseGrowth

    /// Five failures in a row, 60 s, one probe.
    public static let standard = BreakerOptions(unchecked: 5, nil, .seconds(60), 1, .none)

    /// - Parameters:
    ///   - failures: 1 or more, or `nil` where `ratio` is given.
    ///   - pause: More than zero, at most 30 days.
    ///   - successes: 1 to 100.
    public init(
        failures: Int? = 5, ratio: FailureRatio? = nil, pause: Duration = .seconds(60), successes: Int = 1,
        growth: PauseGrowth = .none
    ) throws(OptionsError) {
        if let failures, failures < 1 {
            throw OptionsError("A breaker that opens after \(failures) failures never closes; use 1 or more.")
        }
        guard failures != nil || ratio != nil else {
            throw OptionsError("A breaker without a number and without a ratio of failures never opens; give one.")
        }
        guard pause > .zero else { throw OptionsError("A breaker needs a pause longer than zero.") }
        guard pause <= Deadline.longest else {
            throw OptionsError("A pause of \(pause.text) leaves an origin for good; use at most 30 days.")
        }
        guard (1...100).contains(successes) else {
            throw OptionsError("A breaker cannot close after \(successes) successes; use 1 to 100.")
        }
        guard growth.longest >= pause else {
            throw OptionsError(
                "The longest pause (\(growth.longest.text)) is shorter than the first (\(pause.text)); raise it.")
        }
        self.init(unchecked: failures, ratio, pause, successes, growth)
    }

    private init(
        unchecked failures: Int?, _ ratio: FailureRatio?, _ pause: Duration, _ successes: Int, _ growth: PauseGrowth
    ) {
        self.failures = failures
        self.ratio = ratio
        self.pause = pause
        self.successes = successes
        self.growth = growth
    }

    /// Checks the window against the time of one attempt: in a shorter one, slow failures would never meet.
    func check(attemptTimeout: Duration) throws(OptionsError) {
        guard let ratio, ratio.window < attemptTimeout * 2 else { return }
        throw OptionsError(
            "A failure window of \(ratio.window.text) is too short for attempts of \(attemptTimeout.text); use at least twice their time."
        )
    }
}
