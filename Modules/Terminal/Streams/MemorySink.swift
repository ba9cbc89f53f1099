public import FoundationEssentials
import StrataConcurrency

/// Text kept in memory, as if it had been printed: for tests and previews.
public final class MemorySink: TextSink {
    public let isTerminal: Bool
    public let width: Int?
    private let content = Mutex(Data())

    /// - Parameter width: Cells of the terminal it plays; `nil` for a file.
    public init(width: Int? = nil) {
        isTerminal = width != nil
        self.width = width
    }

    public var text: String { String(decoding: bytes, as: UTF8.self) }
    public var bytes: Data { content.withLock { $0 } }
    public var lines: [String] { text.split(separator: "\n").map(String.init) }

    public func write(_ text: String) { write(Data(text.utf8)) }
    public func write(_ bytes: Data) { content.withLock { $0.append(bytes) } }
}
