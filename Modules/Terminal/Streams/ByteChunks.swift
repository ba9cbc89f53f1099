public import FoundationEssentials

import struct Synchronization.Atomic

/// The chunks of a byte source as a sequence for one iteration, with a count of the bytes read.
public final class ByteChunks: AsyncSequence, Sendable {
    private let source: any ByteSource
    private let count = Atomic(0)

    /// The pieces that `source` gives.
    public init(_ source: any ByteSource) { self.source = source }

    /// How many bytes were read so far.
    public var bytesRead: Int { count.load(ordering: .relaxed) }

    public func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

    /// Reads piece after piece.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let chunks: ByteChunks

        public func next() async throws -> Data? {
            guard let piece = try await chunks.source.next() else { return nil }
            chunks.count.add(piece.count, ordering: .relaxed)
            return piece
        }
    }
}
