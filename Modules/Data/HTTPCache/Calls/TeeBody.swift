import FoundationEssentials
import StrataNetworking

/// A body that is delivered to its reader and copied for the store.
///
/// The copy is stored before the reader learns that the body has ended, so a reader of the whole response finds it in the
/// cache. A body that breaks off, is not read to its end, or is larger than `limit` is not stored.
struct TeeBody: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error

    let base: ResponseBody
    /// Bytes that the head announced; `nil` when it did not.
    let declared: Int?
    let limit: Int
    /// Of the reader; `nil` where no other call waits for the response.
    let patience: ReaderPatience?
    /// Called once: with the whole body, or `nil` when it cannot be stored.
    let end: @Sendable (Data?) async -> Void

    func makeAsyncIterator() -> Iterator { Iterator(self) }

    struct Iterator: AsyncIteratorProtocol {
        private let tee: TeeBody
        private var base: ResponseBody.Iterator
        private var copy: Data? = Data()
        private var ahead: Data?
        private var isOver = false

        init(_ tee: TeeBody) {
            self.tee = tee
            base = tee.base.makeAsyncIterator()
        }

        mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
            tee.patience?.pause()
            defer { tee.patience?.begin() }
            if let chunk = ahead.take() { return chunk }
            guard !isOver else { return copy == nil ? try await base.next(isolation: actor) : nil }
            guard let chunk = try await base.next(isolation: actor) else {
                // To a cancelled task a sequence may seem to end; half a body must not be stored.
                try Task.checkCancellation()
                await finish()
                return nil
            }
            guard let held = copy?.count, held + chunk.count <= Swift.min(tee.limit, tee.declared ?? tee.limit) else {
                copy = nil
                await finish()
                return chunk
            }
            copy?.append(chunk)
            // The reader may stop after the announced bytes, so they are stored now. Nothing may follow.
            if held + chunk.count == tee.declared {
                ahead = try await base.next(isolation: actor)
                if ahead != nil { copy = nil }
                await finish()
            }
            return chunk
        }

        private mutating func finish() async {
            isOver = true
            let isWhole = tee.declared == nil || tee.declared == copy?.count
            await tee.end(isWhole ? copy : nil)
        }
    }
}
