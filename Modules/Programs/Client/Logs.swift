import Logging
import StrataTerminal

/// The loggers of a command, one for each subsystem: `tides.network`. They write escaped lines to standard error.
struct Logs: Sendable {
    enum Category: String, Sendable {
        case network, tokens, cache, offline
        case httpCache = "cache.http"
    }

    /// The first part of the labels.
    let program: String
    /// With `-v` debug, otherwise critical.
    let level: Logger.Level

    init(_ program: ClientProgram, verbose: Bool) {
        (self.program, level) = (program.name, verbose ? .debug : .critical)
    }

    func callAsFunction(_ category: Category) -> Logger {
        var logger = Logger(label: "\(program).\(category.rawValue)") {
            StreamLogHandler(label: $0, stream: LogStream())
        }
        logger.logLevel = level
        return logger
    }
}
