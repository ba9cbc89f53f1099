/// A deadline that progress moves: each byte extends it by the time of one byte at the minimum rate, up to a longest pause.
///
/// A steady reader also pauses, because its kernel opens the receive window in steps of up to 128 KiB.
struct ProgressDeadline: Sendable, Hashable {
    private let rate: Int
    private let longestPause: Duration
    private(set) var end: Duration

    /// - Parameters:
    ///   - rate: Bytes per second, at least 1.
    ///   - now: On any clock; later calls use the same.
    init(rate: Int, longestPause: Duration, at now: Duration) {
        self.rate = max(1, rate)
        self.longestPause = longestPause
        end = now + longestPause
    }

    mutating func advance(by bytes: Int, at now: Duration) {
        end = min(end + .milliseconds(bytes * 1000 / rate), now + longestPause)
    }
}
