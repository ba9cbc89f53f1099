public import FoundationEssentials
import StrataConcurrency

/// Text kept in memory, as if it had been printed: for tests and previews.
public final class MemorySink: TextSink {
    public let isTerminal: Bool
    public let width: Int?
    public let height: Int?
    private let content = Mutex(Data())

    /// - Parameters:
    ///   - width: Cells of the terminal it plays; `nil` for a file.
    ///   - height: Lines of that terminal. Default: 24.
    public init(width: Int? = nil, height: Int = 24) {
        isTerminal = width != nil
        self.width = width
        self.height = width == nil ? nil : height
    }

    /// What was written, as UTF-8.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
    /// What was written.
    public var bytes: Data { content.withLock { $0 } }
    /// The lines that were written, without their ends and without empty ones.
    public var lines: [String] { text.split(separator: "\n").map(String.init) }

    public func write(_ text: String) { write(Data(text.utf8)) }
    public func write(_ bytes: Data) { content.withLock { $0.append(bytes) } }
}
