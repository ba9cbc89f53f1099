/// Exponential back-off with full jitter; pure.
package struct Backoff: Sendable, Hashable {
    /// Upper bound of the first wait.
    package var first: Duration
    /// Factor between the bounds of two waits; at least 1.
    package var multiplier: Double
    /// Upper bound of every wait.
    package var longest: Duration

    package init(first: Duration, multiplier: Double = 2, longest: Duration) {
        self.first = first
        self.multiplier = multiplier
        self.longest = longest
    }

    /// A random part of the bound that belongs to `attempts` failed attempts.
    ///
    /// - Parameters:
    ///   - attempts: 1 or more; less counts as 1.
    ///   - random: 0 up to 1; what lies outside counts as the nearest end, and no number as 1.
    package func wait(after attempts: Int, random: Double) -> Duration {
        .seconds(bound(after: attempts) * (random.isNaN ? 1 : min(max(random, 0), 1)))
    }

    /// In seconds.
    private func bound(after attempts: Int) -> Double {
        let (longest, multiplier) = (Self.seconds(longest), max(multiplier, 1))
        var bound = max(Self.seconds(first), 0)
        var left = bound > 0 && multiplier > 1 ? max(attempts, 1) - 1 : 0
        while left > 0, bound < longest {
            bound *= multiplier
            left -= 1
        }
        return min(bound, longest)
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
