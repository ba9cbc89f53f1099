import FoundationEssentials
import NIOCore
import StrataConcurrency

/// Reads a content, one piece at a time.
struct BlobTableReader: BlobReader {
    let id: String
    let head: BlobPieces.Head
    let store: any Store
    let permit: Permit

    func read(at offset: Int, count: Int) async throws -> ByteBuffer {
        guard (0..<head.size).contains(offset), count > 0 else { throw BlobError.damaged(id) }
        let (number, start) = offset.quotientAndRemainder(dividingBy: head.pieceSize)
        let bytes = try await store.read { [id] reader in try BlobPieces.piece(number, of: id, in: reader) }
        guard bytes.count == min(head.pieceSize, head.size - number * head.pieceSize) else {
            throw BlobError.damaged(id)
        }
        return ByteBuffer(bytes: bytes.dropFirst(start).prefix(count))
    }
}
