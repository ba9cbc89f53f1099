/// When a circuit breaker opens and for how long.
///
/// It opens after failures in a row, at a share of failures over a window, or at whichever of both comes first.
public struct BreakerOptions: Sendable, Hashable {
    /// Failed attempts in a row, of any calls, that open the circuit; `nil` does not count them. Default 5.
    public private(set) var failures: Int? = 5
    /// Share of failures that opens the circuit; `nil` does not measure it. Default `nil`.
    public private(set) var ratio: FailureRatio?
    /// How long the circuit stays open. Default 60 s.
    public private(set) var pause = Duration.seconds(60)

    /// The defaults.
    public static let standard = BreakerOptions()

    /// - Parameters:
    ///   - failures: 1 or more, or `nil` where `ratio` is given.
    ///   - pause: More than zero, at most 30 days.
    public init(
        failures: Int? = standard.failures, ratio: FailureRatio? = nil, pause: Duration = standard.pause
    ) throws(OptionsError) {
        if let failures, failures < 1 {
            throw OptionsError("A breaker that opens after \(failures) failures never closes; use 1 or more.")
        }
        guard failures != nil || ratio != nil else {
            throw OptionsError("A breaker without a number and without a ratio of failures never opens; give one.")
        }
        guard pause > .zero else { throw OptionsError("A breaker needs a pause longer than zero.") }
        guard pause <= Deadline.longest else {
            throw OptionsError("A pause of \(pause.text) is too long; use at most 30 days.")
        }
        self.failures = failures
        self.ratio = ratio
        self.pause = pause
    }

    private init() {}

    /// Checks the window against the time of one attempt: in a shorter one, slow failures would never meet.
    func check(attemptTimeout: Duration) throws(OptionsError) {
        guard let ratio, ratio.window < attemptTimeout * 2 else { return }
        throw OptionsError(
            "A failure window of \(ratio.window.text) is too short for attempts of \(attemptTimeout.text); use at least twice their time."
        )
    }
}
