import FoundationEssentials
import NIOCore
import StrataConcurrency
import StrataDomain

/// Writes a content, one transaction for each piece.
final class BlobTableWriter: BlobWriter {
    private let id: String
    private let tables: BlobTables
    private let permit: Permit
    /// Pieces so far.
    private let written = Mutex(0)

    init(id: String, in tables: BlobTables, permit: Permit) {
        (self.id, self.tables, self.permit) = (id, tables, permit)
    }

    func append(_ piece: ByteBuffer) async throws { try await write(piece) { _ in } }

    func keep(_ rest: ByteBuffer, size: Int, digest: Data) async throws {
        try await write(rest) { [id] transaction in
            try BlobPieces.complete(id, size: size, digest: digest, in: transaction)
        }
    }

    func discard() async {
        // Without a piece of its own, the id may be that of another content.
        if written.withLock({ $0 > 0 }) { try? await tables.remove(id) }
    }

    private func write(
        _ piece: ByteBuffer, _ body: @escaping @Sendable (any StoreTransaction) throws -> Void
    ) async throws {
        let (id, number, now) = (id, written.withLock { $0 }, tables.clock.now)
        let bytes = Data(piece.readableBytesView)
        let checksum = BlobPieces.checksum(bytes, number, of: id)
        try await tables.store.write { transaction in
            try BlobPieces.touch(id, isNew: number == 0, at: now, in: transaction)
            if !bytes.isEmpty {
                try BlobPieces.insert(bytes, checksum: checksum, as: number, of: id, in: transaction)
            }
            try body(transaction)
        }
        written.withLock { $0 += 1 }
    }
}
