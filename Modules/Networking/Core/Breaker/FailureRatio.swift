/// A share of failures, measured over a sliding window, that opens a circuit.
///
/// The window moves in steps of a tenth of its length.
public struct FailureRatio: Sendable, Hashable {
    /// Failures among the attempts of the window, more than 0 up to 1.
    public let share: Double
    /// How far back attempts are counted.
    public let window: Duration
    /// Attempts in the window below which nothing is decided.
    public let minimumCalls: Int

    /// - Parameters:
    ///   - share: More than 0, at most 1; 0.5 opens when every second attempt fails.
    ///   - window: 1 s to 1 day.
    ///   - minimumCalls: 1 to 1 000 000.
    public init(share: Double, window: Duration = .seconds(30), minimumCalls: Int = 20) throws(OptionsError) {
        guard share > 0, share <= 1 else {
            throw OptionsError("A failure ratio of \(share) decides nothing; use more than 0 and at most 1.")
        }
        guard window >= .seconds(1), window <= .seconds(86_400) else {
            throw OptionsError("Failures cannot be measured over \(window.text); use 1 s to 1 day.")
        }
        guard (1...1_000_000).contains(minimumCalls) else {
            throw OptionsError("A failure ratio of at least \(minimumCalls) calls cannot be told; use 1 to 1000000.")
        }
        self.share = share
        self.window = window
        self.minimumCalls = minimumCalls
    }

    func isReached(by count: RollingWindow.Count) -> Bool {
        // Not a product: 0.07 * 100 is more than 7.
        count.calls >= minimumCalls && Double(count.failures) / Double(count.calls) >= share
    }
}
