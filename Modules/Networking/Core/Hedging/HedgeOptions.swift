import StrataDomain

/// When an attempt that takes long gets company: the same request once more, and the first good answer wins.
public struct HedgeOptions: Sendable, Hashable {
    /// How long an attempt may take before the next one is sent beside it.
    public let delay: Duration
    /// Requests beside the first, each after one more delay. Default 1.
    public let extra: Int

    /// - Parameters:
    ///   - delay: 1 ms to 1 h. A good value is the 95th percentile of the time answers take.
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
