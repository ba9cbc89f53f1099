public import StrataDomain

/// Gets the tokens of a device grant in one poll (RFC 8628, section 3.4).
///
/// - Parameter limit: Time for the request; `nil` for the client's own limit.
public typealias PollForTokens = (_ limit: Duration?) async throws(NetworkError) -> SessionTokens

/// The polls of a device grant: waits, asks, and asks again until the user has decided (RFC 8628, section 3.5).
///
/// A poll whose response was lost is repeated like any other.
public struct DevicePolling: Sendable {
    private let interval: Int
    private let life: Int
    private let timer: any Clock<Duration>

    /// - Parameters:
    ///   - interval: Seconds between two polls as the server said, used as 1 to 60. Default: 5.
    ///   - expiresIn: Seconds until the codes expire as the server said, used as 1 to 3600.
    ///   - timer: Measures the waits.
    public init(interval: Int?, expiresIn: Int, timer: any Clock<Duration> = ContinuousClock()) {
        self.interval = min(max(1, interval ?? 5), 60)
        life = min(max(1, expiresIn), 3600)
        self.timer = timer
    }

    /// The tokens that a poll gets.
    ///
    /// - Parameter limit: For all requests and waits together. Default: `nil`, until the codes expire.
    /// - Throws: What a poll throws, except that the user has not decided yet, `slow_down`, which adds five seconds to every
    ///   further wait, and failures that may pass. `.timeout` at the limit, `.cancelled`. A minute after the codes have
    ///   expired it ends with the failure of the last poll; until then the server says `expired_token`.
    public func tokens(
        within limit: Duration? = nil, _ poll: PollForTokens
    ) async throws(NetworkError) -> SessionTokens {
        let elapsed = Self.stopwatch(timer)
        var interval = interval
        while true {
            let left = limit.map { $0 - elapsed() } ?? .seconds(interval + 1)
            try await wait(min(.seconds(interval), max(.zero, left)))
            guard left > .seconds(interval) else { throw NetworkError(.timeout) }
            do throws(NetworkError) {
                return try await poll(limit.map { $0 - elapsed() })
            } catch {
                switch error.problem?.error {
                case "authorization_pending": break
                case "slow_down": interval = min(interval + 5, 60)
                case _ where error.isRetryable: break
                default: throw error
                }
                if elapsed() > .seconds(life + 60) { throw error }
            }
        }
    }

    private static func stopwatch(_ clock: some Clock<Duration>) -> () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    private func wait(_ time: Duration) async throws(NetworkError) {
        do { try await timer.sleep(for: time) } catch { throw NetworkError(.cancelled) }
    }
}
