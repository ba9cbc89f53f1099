public import FoundationEssentials

/// Reads elements out of the chunks of a body. A pure value: it depends on the bytes only, not on where they are cut.
public protocol ChunkParser: Sendable {
    /// What it makes of the bytes.
    associatedtype Element: Sendable

    /// Takes the next bytes. Call it when `next` has returned `nil`.
    mutating func append(_ chunk: Data)

    /// The next whole element; `nil` when more bytes are needed.
    ///
    /// - Throws: `.invalidResponse` for an element over the limit of the parser, which is of no use then.
    mutating func next() throws(NetworkError) -> Element?

    /// What the bytes since the last whole element mean at the end of the body; `nil` for nothing.
    mutating func finish() throws(NetworkError) -> Element?
}

extension AsyncSequence where Self: Sendable, Element == Data, Failure == any Error {
    /// The elements that `parser` finds in the bytes of a body.
    public func parsed<Parser: ChunkParser>(by parser: Parser) -> ParsedChunks<Parser> {
        ParsedChunks(base: self, parser: parser)
    }

    /// The lines of a text, which end with LF, CR, or both. See `LineParser`.
    ///
    /// - Parameter limit: Bytes of a line; a longer one is `.invalidResponse`.
    public func lines(upTo limit: Int = 1 << 20) -> ParsedChunks<LineParser> {
        parsed(by: LineParser(upTo: limit))
    }

    /// The events of a `text/event-stream`. See `ServerSentEventParser`.
    ///
    /// - Parameter limit: Bytes of the data of an event; a larger one is `.invalidResponse`.
    public func events(upTo limit: Int = 1 << 20) -> ParsedChunks<ServerSentEventParser> {
        parsed(by: ServerSentEventParser(upTo: limit))
    }

    /// One JSON value a line. See `JSONRowParser`.
    ///
    /// - Parameters:
    ///   - limit: Bytes of a row; a larger one is `.invalidResponse`.
    ///   - form: How a row spells its keys and dates. Default: snake_case.
    public func rows<Row>(
        _ row: Row.Type, upTo limit: Int = 1 << 20, in form: JSONForm = .snakeCase
    ) -> ParsedChunks<JSONRowParser<Row>> {
        parsed(by: JSONRowParser(of: row, upTo: limit, in: form))
    }
}

/// The elements in a body, each when its last byte arrived.
public struct ParsedChunks<Parser: ChunkParser>: AsyncSequence, Sendable {
    public typealias Element = Parser.Element
    public typealias Failure = any Error

    let base: any AsyncSequence<Data, any Error> & Sendable
    let parser: Parser

    public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), parser: parser) }

    /// Reads the elements as their bytes arrive.
    public struct Iterator: AsyncIteratorProtocol {
        var base: any AsyncIteratorProtocol<Data, any Error>
        var parser: Parser
        var isAtEnd = false

        public mutating func next() async throws -> Parser.Element? { try await next(isolation: #isolation) }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Parser.Element? {
            while !isAtEnd {
                if let element = try parser.next() { return element }
                if let chunk = try await base.next(isolation: actor) {
                    parser.append(chunk)
                } else {
                    // A cancelled task may see the end of the body; half a line must not pass for a whole one.
                    try Task.checkCancellation()
                    isAtEnd = true
                    return try parser.finish()
                }
            }
            return nil
        }
    }
}
