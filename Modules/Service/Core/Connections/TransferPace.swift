/// Until when a peer has to take or send something: each byte buys time at the minimum rate, up to a longest pause.
///
/// A pause is needed although the rate is steady: the kernel of a slow reader opens its window in steps of up to 128 KiB.
struct TransferPace: Sendable, Hashable {
    private let rate: Int
    private let longestPause: Duration
    private(set) var end: Duration

    /// - Parameters:
    ///   - rate: Bytes per second, at least 1.
    ///   - now: On any clock, the same as later.
    init(rate: Int, longestPause: Duration, at now: Duration) {
        self.rate = max(1, rate)
        self.longestPause = longestPause
        end = now + longestPause
    }

    mutating func moved(_ bytes: Int, at now: Duration) {
        end = min(end + .milliseconds(bytes * 1000 / rate), now + longestPause)
    }
}
