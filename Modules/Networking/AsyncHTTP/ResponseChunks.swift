import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import StrataConcurrency
import StrataDomain
import StrataNetworking

/// The chunks of a response body, its failures named in our words. One reader may read them, until `close`.
///
/// AsyncHTTPClient ends the process at a second iterator, and keeps the connection for as long as the body is referenced.
final class ResponseChunks: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error

    private enum State {
        case unread(HTTPClientResponse.Body)
        case read
        case closed
    }

    private let state: Mutex<State>
    private let idle: IdleTimeout?

    /// - Parameter idle: Lasts while a chunk is waited for.
    init(_ body: HTTPClientResponse.Body, _ idle: IdleTimeout?) {
        state = Mutex(.unread(body))
        self.idle = idle
    }

    /// Lets nothing be read any more; an unread body gives up its connection.
    func close() { state.withLock { $0 = .closed } }

    func makeAsyncIterator() -> Iterator {
        let body = state.withLock { state -> HTTPClientResponse.Body? in
            guard case .unread(let body) = state else { return nil }
            state = .read
            return body
        }
        return Iterator(base: body?.makeAsyncIterator(), chunks: self)
    }

    private var isClosed: Bool { state.withLock { if case .closed = $0 { true } else { false } } }

    struct Iterator: AsyncIteratorProtocol {
        /// `nil` for a second reader.
        var base: HTTPClientResponse.Body.AsyncIterator?
        let chunks: ResponseChunks

        // Concurrent, because the client's own iterator is.
        @concurrent mutating func next() async throws -> Data? {
            guard !chunks.isClosed else {
                throw NetworkError(.unexpected("a body was read after its response had been given back"))
            }
            guard base != nil else { throw NetworkError(.unexpected("a body has two readers")) }
            chunks.idle?.restart()
            defer { chunks.idle?.pause() }
            do {
                if let buffer = try await base?.next() { return Data(buffer.readableBytesView) }
            } catch {
                throw NetworkError(transport: error)
            }
            // A cancelled task may see the end of the sequence; half a body must not pass for a whole one.
            guard !Task.isCancelled else { throw NetworkError(.cancelled) }
            return nil
        }
    }
}
