import FoundationEssentials

extension UploadBody {
    /// The same body, which counts its bytes as the transport reads them. Each retry starts at zero.
    ///
    /// The caller finishes `progress` when its call returns: a body does not know which attempt is the last.
    public func counted(by progress: TransferProgress) -> UploadBody {
        .stream(length: length, isReplayable: isReplayable, contentType: contentType) {
            let total = length.map(Int64.init)
            progress.report(TransferCount(bytes: 0, total: total))
            return CountedStream(base: try await open(), progress: progress, total: total)
        }
    }
}

private struct CountedStream: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error
    let base: UploadBody.Stream
    let progress: TransferProgress
    let total: Int64?

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), progress: progress, total: total) }

    struct Iterator: AsyncIteratorProtocol {
        /// Bytes between two reports, so that a body in memory shows progress too.
        private static let stride = 64 * 1024

        private var base: any AsyncIteratorProtocol<Data, any Error>
        private let progress: TransferProgress
        private let total: Int64?
        private var rest = Data()
        private var count: Int64 = 0

        init(base: any AsyncIteratorProtocol<Data, any Error>, progress: TransferProgress, total: Int64?) {
            self.base = base
            self.progress = progress
            self.total = total
        }

        mutating func next() async throws -> Data? { try await next(isolation: #isolation) }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
            if rest.isEmpty {
                guard let chunk = try await base.next(isolation: actor) else { return nil }
                rest = chunk
            }
            let piece = rest.prefix(Self.stride)
            rest = rest.dropFirst(piece.count)
            count += Int64(piece.count)
            progress.report(TransferCount(bytes: count, total: total))
            return piece
        }
    }
}
