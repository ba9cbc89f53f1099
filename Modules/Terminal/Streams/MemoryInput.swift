public import FoundationEssentials
import StrataConcurrency
public import StrataDomain

/// Fixed input for tests.
public final class MemoryInput: ConsoleInput {
    public let isTerminal: Bool
    private let content: [Data]
    private let answers: Mutex<[String]>
    private let asked = Mutex<[String]>([])

    /// - Parameters:
    ///   - pieces: Standard input, as it arrives.
    ///   - answers: The lines typed at prompts; if not `nil`, the input acts as a terminal.
    public init(_ pieces: [Data] = [], answers: [String]? = nil) {
        content = pieces
        isTerminal = answers != nil
        self.answers = Mutex(answers ?? [])
    }

    /// An input with this text, which ends after it.
    public convenience init(_ text: String) { self.init([Data(text.utf8)]) }

    /// The prompts so far; the hidden ones end with `(hidden)`.
    public var prompts: [String] { asked.withLock { $0 } }

    public func bytes() -> any ByteSource { Pieces(content) }

    public func line(prompt: String, isHidden: Bool) async throws(DomainError) -> Secret {
        asked.withLock { $0.append(prompt + (isHidden ? "(hidden)" : "")) }
        let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let answer else { throw .validation("The input ended before an answer was given.") }
        return Secret(answer)
    }

    private final class Pieces: ByteSource {
        let size: Int?
        private let rest: Mutex<[Data]>

        init(_ pieces: [Data]) {
            size = pieces.reduce(0) { $0 + $1.count }
            rest = Mutex(pieces.filter { !$0.isEmpty }.reversed())
        }

        func next() async throws(DomainError) -> Data? { rest.withLock { $0.popLast() } }
    }
}
