public import FoundationEssentials
import StrataDomain

/// The bytes of a body as they arrive; can be read once.
public struct ResponseBody: AsyncSequence, Sendable {
    public typealias Element = Data
    public typealias Failure = any Error

    private enum Source: Sendable {
        case present(Data)
        case arriving(any AsyncSequence<Data, any Error> & Sendable)
    }

    private let source: Source

    /// A body that is read as it arrives.
    public init(_ base: some AsyncSequence<Data, any Error> & Sendable) { source = .arriving(base) }

    /// A body that is already there.
    public init(_ bytes: Data = Data()) { source = .present(bytes) }

    /// A body in memory, in these pieces.
    public init(chunks: [Data]) {
        self.init(
            AsyncThrowingStream<Data, any Error> { continuation in
                for chunk in chunks { continuation.yield(chunk) }
                continuation.finish()
            })
    }

    public func makeAsyncIterator() -> Iterator {
        switch source {
        case .present(let bytes): Iterator(base: Present(rest: bytes.isEmpty ? nil : bytes))
        case .arriving(let base): Iterator(base: base.makeAsyncIterator())
        }
    }

    /// All bytes, where nothing has to be waited for.
    private var present: Data? { if case .present(let bytes) = source { bytes } else { nil } }

    /// Reads the pieces of a body one after the other.
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
        if let present, present.count <= limit { return present }
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
        ResponseBody(
            map { chunk in
                look(chunk)
                return chunk
            })
    }
}

/// A body of one chunk that waits for nothing.
private struct Present: AsyncIteratorProtocol {
    var rest: Data?

    mutating func next() async throws -> Data? { rest.take() }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? { rest.take() }
}
