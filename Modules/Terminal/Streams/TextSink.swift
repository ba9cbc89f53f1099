public import FoundationEssentials

/// A destination of text: a stream of the process, or memory in tests.
public protocol TextSink: Sendable {
    /// Whether a person sees it at once, so that it may have colours and move.
    var isTerminal: Bool { get }
    /// Cells in a line; `nil` when it is not a terminal.
    var width: Int? { get }
    /// Lines of the terminal; `nil` when it is not one. Default: `nil`.
    var height: Int? { get }
    /// Writes all of `text` before it returns.
    func write(_ text: String)
    /// Writes bytes as they are, which need not be text.
    func write(_ bytes: Data)
    /// Writes `text` if possible, for progress messages.
    ///
    /// - Returns: The reason of a failure; `nil` on success, or if the reader has gone away.
    @discardableResult
    func offer(_ text: String) -> String?
}

extension TextSink {
    public var height: Int? { nil }
    public func write(_ bytes: Data) { write(String(decoding: bytes, as: UTF8.self)) }
    @discardableResult
    public func offer(_ text: String) -> String? {
        write(text)
        return nil
    }
}
