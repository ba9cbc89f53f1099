/// Whether, and how often, a service manager waits for a sign of life (sd_watchdog_enabled(3)).
enum Watchdog: Hashable {
    case off
    case malformed
    /// The process is ended after `limit` without a sign.
    case on(limit: Duration)

    /// - Parameter variables: `WATCHDOG_USEC`, in microseconds, and `WATCHDOG_PID`, the process that is meant, count.
    init(_ variables: [String: String], processId: Int32) {
        guard let time = variables["WATCHDOG_USEC"] else {
            self = .off
            return
        }
        if let meant = variables["WATCHDOG_PID"] {
            guard let meant = Int32(meant) else {
                self = .malformed
                return
            }
            guard meant == processId else {
                self = .off
                return
            }
        }
        guard let microseconds = UInt64(time), microseconds > 0 else {
            self = .malformed
            return
        }
        // The largest number is no limit; others above a century make no difference.
        let century: UInt64 = 3_155_760_000_000_000
        self = microseconds > century ? .off : .on(limit: .microseconds(Int64(microseconds)))
    }

    /// Half of the limit, as the manual has it.
    var interval: Duration? {
        guard case .on(let limit) = self else { return nil }
        return limit / 2
    }
}
