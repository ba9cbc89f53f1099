import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataNetworking

/// Keeps the bytes of a body as they pass, up to a limit.
final class BodyTap: Sendable {
    private struct State {
        var bytes = Data()
        var size = 0
        /// `nil` for a body that was read to its end.
        var failure: RecordedFailure? = .unread
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// The body so far. A larger one than the limit is not kept at all: cut off, it could end inside of a secret.
    var body: HAREntry.Body {
        state.withLock { state in
            guard state.size <= limit else { return HAREntry.Body(bytes: nil, size: state.size, failure: .tooLarge) }
            return HAREntry.Body(bytes: state.bytes, size: state.size, failure: state.failure)
        }
    }

    /// `base`, kept from its first byte as it is read.
    func tapped(_ base: any AsyncSequence<Data, any Error> & Sendable) -> TappedBody {
        state.withLock { $0 = State() }
        return TappedBody(base: base, tap: self)
    }

    fileprivate func add(_ chunk: Data) {
        state.withLock { state in
            state.size += chunk.count
            if state.size <= limit { state.bytes.append(chunk) } else { state.bytes = Data() }
        }
    }

    fileprivate func end(_ failure: RecordedFailure?) { state.withLock { $0.failure = failure } }
}

/// A body whose chunks pass a tap.
struct TappedBody: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error
    let base: any AsyncSequence<Data, any Error> & Sendable
    let tap: BodyTap

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), tap: tap) }

    struct Iterator: AsyncIteratorProtocol {
        var base: any AsyncIteratorProtocol<Data, any Error>
        let tap: BodyTap

        mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
            do {
                let chunk = try await base.next(isolation: actor)
                if let chunk { tap.add(chunk) } else { tap.end(nil) }
                return chunk
            } catch {
                tap.end(RecordedFailure(error) ?? .unread)
                throw error
            }
        }
    }
}
