#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// When a value that is still fresh is fetched anew, so that not all who share it find it stale in the same moment.
///
/// XFetch (Vattani, Chierichetti, Lowenstein: *Optimal Probabilistic Cache Stampede Prevention*, VLDB 2015): the nearer
/// the end of its lifetime and the longer a fetch takes, the likelier.
public struct EarlyRefresh: Sendable, Hashable {
    /// β: above 1 earlier, below 1 later; zero is never.
    public let eagerness: Double

    /// β = 1, which the paper proves best for a fetch time that varies little.
    public static let standard = EarlyRefresh(eagerness: 1)
    /// For values that must live exactly as long as they say.
    public static let never = EarlyRefresh(eagerness: 0)

    /// - Parameter eagerness: Zero or more; anything else counts as zero.
    public init(eagerness: Double) {
        self.eagerness = eagerness.isFinite ? max(0, eagerness) : 0
    }

    /// Whether −β·δ·ln(rand) reaches the time that is left.
    ///
    /// - Parameters:
    ///   - cost: δ, how long the last fetch took.
    ///   - fraction: From 0 up to 1; 0 counts as the smallest number above it.
    func isDue(timeLeft: Duration, cost: Duration, fraction: Double) -> Bool {
        guard eagerness > 0, cost > .zero else { return false }
        let drawn = min(max(fraction, Double.leastNormalMagnitude), 1)
        return -eagerness * cost.inSeconds * log(drawn) >= timeLeft.inSeconds
    }
}
