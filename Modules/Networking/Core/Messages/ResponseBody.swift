public import FoundationEssentials
import StrataDomain

/// The bytes of a body as they arrive; can be read once.
public struct ResponseBody: AsyncSequence, Sendable {
    public typealias Element = Data
    public typealias Failure = any Error

    private let base: any AsyncSequence<Data, any Error> & Sendable

    public init(_ base: some AsyncSequence<Data, any Error> & Sendable) { self.base = base }

    /// A body that is already there.
    public init(_ bytes: Data = Data()) { base = Present(chunk: bytes) }

    public init(chunks: [Data]) {
        base = AsyncThrowingStream<Data, any Error> { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish()
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        var base: any AsyncIteratorProtocol<Data, any Error>

        public mutating func next() async throws -> Data? { try await base.next(isolation: #isolation) }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
            try await base.next(isolation: actor)
        }
    }
}

extension ResponseBody {
    /// Bytes of an unwanted body that are read so that its connection can be used again.
    public static let drainLimit = 64 * 1024

    /// Reads and drops the rest, so that the connection can be used again; gives up after `limit` bytes or an error.
    public func drain(upTo limit: Int = drainLimit) async {
        var count = 0
        do {
            for try await chunk in self {
                count += chunk.count
                if count > limit { return }
            }
        } catch {
            return  // The connection is not worth more; the transport closes it.
        }
    }

    /// All bytes.
    ///
    /// - Throws: `.invalidResponse` for a body larger than `limit` bytes.
    public func collect(upTo limit: Int) async throws -> Data {
        var bytes = Data()
        for try await chunk in self {
            guard bytes.count + chunk.count <= limit else {
                throw NetworkError(.invalidResponse("the body is larger than \(limit) bytes"))
            }
            if bytes.isEmpty { bytes = chunk } else { bytes.append(chunk) }
        }
        return bytes
    }

    /// The first `limit` bytes; the rest is left unread.
    public func prefix(upTo limit: Int) async throws -> Data {
        var bytes = Data()
        for try await chunk in self {
            bytes.append(chunk.prefix(limit - bytes.count))
            if bytes.count >= limit { break }
        }
        return bytes
    }

    /// The same body, with `look` called on every chunk as it passes.
    func tapped(_ look: @escaping @Sendable (Data) -> Void) -> ResponseBody {
        ResponseBody(Tapped(base: self, look: look))
    }
}

private struct Tapped: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error
    let base: ResponseBody
    let look: @Sendable (Data) -> Void

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), look: look) }

    struct Iterator: AsyncIteratorProtocol {
        var base: ResponseBody.Iterator
        let look: @Sendable (Data) -> Void

        mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
            let chunk = try await base.next(isolation: actor)
            if let chunk { look(chunk) }
            return chunk
        }
    }
}

/// A body of one chunk that waits for nothing.
private struct Present: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error
    let chunk: Data

    func makeAsyncIterator() -> Iterator { Iterator(rest: chunk.isEmpty ? nil : chunk) }

    struct Iterator: AsyncIteratorProtocol {
        var rest: Data?

        mutating func next() async throws -> Data? { rest.take() }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? { rest.take() }
    }
}
