/// The log files that can be read.
package enum LogFormat: String, Sendable, Hashable, CaseIterable {
    /// One entry per line; a leading RFC 3339 time is when it occurred.
    case lines
    /// `/var/log/dpkg.log`: local time, then the action.
    case dpkg
    /// `journalctl -o json`: one object per line.
    case journaldJSON = "journald-json"
}
