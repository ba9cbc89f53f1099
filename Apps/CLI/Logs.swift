import Logging
import StrataTerminal

/// The loggers of a command, one for each subsystem: `shiftlog.network`. They write escaped lines to standard error.
struct Logs: Sendable {
    enum Category: String, Sendable {
        case network, tokens, cache, offline
        case httpCache = "cache.http"
    }

    /// With `-v` debug, otherwise critical.
    let level: Logger.Level

    init(verbose: Bool) { level = verbose ? .debug : .critical }

    func callAsFunction(_ category: Category) -> Logger {
        var logger = Logger(label: "shiftlog.\(category.rawValue)") { StreamLogHandler(label: $0, stream: LogStream()) }
        logger.logLevel = level
        return logger
    }
}
