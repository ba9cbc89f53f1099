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
    /// Writes `text` if somebody takes it: for news about work that goes on either way.
    func offer(_ text: String)
}

extension TextSink {
    public func write(_ bytes: Data) { write(String(decoding: bytes, as: UTF8.self)) }
    public func offer(_ text: String) { write(text) }
}
