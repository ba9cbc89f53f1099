import FoundationEssentials
import StrataConcurrency
import StrataNetworking

/// A body that is copied while it is read, and given to the store before its reader learns that it has ended.
///
/// So whoever has the whole answer finds it in the cache. A body that breaks off, is not read to its end, or is larger than
/// the limit is not kept; at most `limit` bytes are held.
struct KeptBody: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error

    let base: ResponseBody
    /// Bytes the head announced; `nil` when it did not.
    let declared: Int?
    let limit: Int
    /// Told when its reader asks for more, and when it gets it.
    let pace: ReaderPace
    /// Called once: with the whole body, or `nil` when it cannot be kept.
    let end: @Sendable (Data?) async -> Void

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), declared: declared, limit: limit, pace: pace, end: end)
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: ResponseBody.Iterator
        let declared: Int?
        let limit: Int
        let pace: ReaderPace
        let end: @Sendable (Data?) async -> Void
        private var copy: Data? = Data()
        private var ahead: Data?
        private var isOver = false

        init(
            base: ResponseBody.Iterator, declared: Int?, limit: Int, pace: ReaderPace,
            end: @escaping @Sendable (Data?) async -> Void
        ) {
            self.pace = pace
            self.base = base
            self.declared = declared
            self.limit = limit
            self.end = end
        }

        mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
            pace.asks()
            defer { pace.gets() }
            if let chunk = ahead.take() { return chunk }
            guard !isOver else { return copy == nil ? try await base.next(isolation: actor) : nil }
            guard let chunk = try await base.next(isolation: actor) else {
                // To a cancelled task a sequence may look as if it had ended; half a body must not pass for a whole one.
                try Task.checkCancellation()
                await finish()
                return nil
            }
            guard let held = copy?.count, held + chunk.count <= Swift.min(limit, declared ?? limit) else {
                copy = nil
                await finish()
                return chunk
            }
            copy?.append(chunk)
            // With all announced bytes its reader has all: store first. Nothing may follow.
            if held + chunk.count == declared {
                ahead = try await base.next(isolation: actor)
                if ahead != nil { copy = nil }
                await finish()
            }
            return chunk
        }

        private mutating func finish() async {
            isOver = true
            let isWhole = declared == nil || declared == copy?.count
            await end(isWhole ? copy : nil)
        }
    }
}
