import StrataDomain

/// When a slow attempt gets hedged requests; the first good response wins.
public struct HedgeOptions: Sendable, Hashable {
    /// Time from one request to the next.
    public let delay: Duration
    /// Hedged requests beside the first, each one delay later. Default 1.
    public let extra: Int

    /// - Parameters:
    ///   - delay: 1 ms to 1 h. A good value is the 95th percentile of the time responses take.
    ///   - extra: 1 to 10.
    public init(delay: Duration, extra: Int = 1) throws(OptionsError) {
        guard (.milliseconds(1)...(.seconds(3600))).contains(delay) else {
            throw OptionsError("A hedge after \(delay.text) is not possible; use 1 ms to 1 h.")
        }
        guard (1...10).contains(extra) else {
            throw OptionsError("\(extra) hedges are not possible; use 1 to 10.")
        }
        self.delay = delay
        self.extra = extra
    }
}
