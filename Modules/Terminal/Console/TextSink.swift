public import FoundationEssentials

/// Where text goes: a stream of the process, or the memory of a test.
public protocol TextSink: Sendable {
    var isTerminal: Bool { get }
    /// Cells in a line; `nil` when it is not a terminal.
    var width: Int? { get }
    /// Writes all of `text` before it returns.
    func write(_ text: String)
    /// Writes bytes as they are, which need not be text.
    func write(_ bytes: Data)
    /// Writes `text` if that is possible: for news about work that goes on either way.
    ///
    /// - Returns: Why it could not be written; `nil` when it was, or when its reader has gone away.
    @discardableResult
    func offer(_ text: String) -> String?
}

extension TextSink {
    public func write(_ bytes: Data) { write(String(decoding: bytes, as: UTF8.self)) }
    @discardableResult
    public func offer(_ text: String) -> String? {
        write(text)
        return nil
    }
}
