#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How the pause of a circuit grows while its probes go on failing.
public struct PauseGrowth: Sendable, Hashable {
    /// What each further pause is longer by; 1 keeps it.
    public let multiplier: Double
    /// Upper bound of every pause.
    public let longest: Duration
    /// Random addition, as a share of the pause, so that many clients do not probe at one moment.
    public let jitter: Double

    /// Every pause is as long as the first.
    public static let none = PauseGrowth()

    /// - Parameters:
    ///   - multiplier: 1 to 10.
    ///   - longest: At least the pause it is used with, at most 30 days.
    ///   - jitter: 0 to 1. Default 0.2.
    public init(multiplier: Double = 2, longest: Duration, jitter: Double = 0.2) throws(OptionsError) {
        guard (1...10).contains(multiplier) else {
            throw OptionsError("A pause cannot grow by a factor of \(multiplier); use 1 to 10.")
        }
        guard longest > .zero, longest <= Deadline.longest else {
            throw OptionsError("A longest pause of \(longest.text) is none; use more than zero and at most 30 days.")
        }
        guard (0...1).contains(jitter) else {
            throw OptionsError("A jitter of \(jitter) cannot be added to a pause; use 0 to 1.")
        }
        self.multiplier = multiplier
        self.longest = longest
        self.jitter = jitter
    }

    private init() {
        multiplier = 1
        longest = Deadline.longest
        jitter = 0
    }

    /// - Parameters:
    ///   - base: The first pause.
    ///   - opening: Number of the pause since the circuit was last closed, from 1.
    ///   - random: 0 up to 1; what is not counts as 0.
    func pause(_ base: Duration, opening: Int, random: Double) -> Duration {
        guard multiplier > 1 || jitter > 0 else { return base }
        let grown = base.seconds * pow(multiplier, Double(opening) - 1)
        let fraction = (0...1).contains(random) ? random : 0
        return max(base, min(.seconds(min(grown * (1 + jitter * fraction), longest.seconds)), longest))
    }
}
