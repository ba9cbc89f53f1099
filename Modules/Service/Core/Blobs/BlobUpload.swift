import Crypto
import FoundationEssentials
public import NIOCore

/// One content while it is received: counts and hashes its bytes, and passes them on in pieces.
public final class BlobUpload {
    /// Bytes of a piece. One system call, or one transaction, for each packet would cost more than the write.
    static let piece = 256 * 1024

    private let writer: any BlobWriter
    private let limit: Int
    private var pending = ByteBuffer()
    private var size = 0
    private var hash = SHA256()

    init(_ writer: any BlobWriter, limit: Int) {
        self.writer = writer
        self.limit = limit
    }

    /// - Throws: 413 above the limit; what the store throws.
    public func append(_ bytes: ByteBuffer) async throws {
        size += bytes.readableBytes
        guard size <= limit else { throw ServiceError.bodyTooLarge(limit) }
        pending.writeImmutableBuffer(bytes)
        while let piece = pending.readSlice(length: Self.piece) { try await pass(piece) }
        pending.discardReadBytes()
    }

    private func pass(_ piece: ByteBuffer) async throws {
        piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        try await writer.append(piece)
    }

    /// - Returns: Size and SHA-256 of the content.
    func keep() async throws -> (size: Int, digest: Data) {
        pending.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        let digest = Data(hash.finalize())
        try await writer.keep(pending, size: size, digest: digest)
        return (size, digest)
    }
}
