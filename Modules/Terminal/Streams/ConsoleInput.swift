public import FoundationEssentials
public import StrataDomain

/// The input of a command.
public protocol ConsoleInput: Sendable {
    /// Whether prompts are possible.
    var isTerminal: Bool { get }
    /// The bytes of standard input.
    func bytes() -> any ByteSource
    /// One line, without its line break.
    ///
    /// - Parameter isHidden: Whether the terminal hides what is typed.
    /// - Throws: `.cancelled` on an interrupt; `.validation` at the end of input.
    func line(prompt: String, isHidden: Bool) async throws(DomainError) -> Secret
}

/// Bytes, piece by piece.
public protocol ByteSource: Sendable {
    /// Bytes of all pieces; `nil` when unknown.
    var size: Int? { get }
    /// The next piece, never empty; `nil` at the end.
    ///
    /// - Throws: `.cancelled`; `.storage` when reading fails.
    func next() async throws(DomainError) -> Data?
}
