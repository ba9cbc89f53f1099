/// The watchdog of a service manager (sd_watchdog_enabled(3)).
enum Watchdog: Hashable {
    case off
    case malformed
    /// The service manager ends the process after `limit` without a heartbeat.
    case on(limit: Duration)

    /// - Parameter variables: `WATCHDOG_USEC` in microseconds, and `WATCHDOG_PID`, the watched process.
    init(_ variables: [String: String], processId: Int32) {
        guard let time = variables["WATCHDOG_USEC"] else {
            self = .off
            return
        }
        if let watched = variables["WATCHDOG_PID"] {
            guard let watched = Int32(watched) else {
                self = .malformed
                return
            }
            guard watched == processId else {
                self = .off
                return
            }
        }
        guard let microseconds = UInt64(time), microseconds > 0 else {
            self = .malformed
            return
        }
        // The largest number means no limit; values above a century count as such.
        let century: UInt64 = 3_155_760_000_000_000
        self = microseconds > century ? .off : .on(limit: .microseconds(Int64(microseconds)))
    }

    /// Half of the limit, as sd_watchdog_enabled(3) recommends.
    var interval: Duration? {
        guard case .on(let limit) = self else { return nil }
        return limit / 2
    }
}
