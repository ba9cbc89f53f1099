public import Logging
import StrataConcurrency

/// Collects log lines, so that a test can look for what must, or must not, be in them.
public final class LogRecorder: Sendable {
    private let recorded = Mutex<[String]>([])

    /// A recorder without lines.
    public init() {}

    /// Level, message and metadata of every line, in order.
    public var lines: [String] { recorded.withLock { $0 } }

    /// A logger that writes here and nowhere else.
    public func logger(level: Logger.Level = .trace) -> Logger {
        var logger = Logger(label: "test") { _ in Handler(recorder: self) }
        logger.logLevel = level
        return logger
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            let fields = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            recorder.recorded.withLock { $0.append("\(event.level) \(event.message)\(fields)") }
        }
    }
}

extension Logger {
    /// A logger that writes nowhere.
    public static var silent: Logger { Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() } }
}
