import Crypto
import FoundationEssentials
import NIOCore

/// The tables of contents in the database: a head for each content, and its pieces.
enum BlobPieces {
    static let tables: Set<String> = ["blob", "blob_piece"]

    /// `size` and `digest` are set when the content is complete. `piece_size` allows another size of pieces later.
    static let migration = StoreMigration(
        "blobs-1",
        """
        CREATE TABLE blob (
            id TEXT NOT NULL PRIMARY KEY, written_at BIGINT NOT NULL, piece_size BIGINT NOT NULL,
            size BIGINT, digest BYTEA)
        """,
        """
        CREATE TABLE blob_piece (
            blob_id TEXT NOT NULL REFERENCES blob (id) ON DELETE CASCADE, number BIGINT NOT NULL,
            bytes BYTEA NOT NULL, checksum BYTEA NOT NULL, PRIMARY KEY (blob_id, number))
        """
    )

    /// The description of a complete content.
    struct Head: Sendable {
        var pieceSize: Int
        var size: Int
        var digest: Data
        /// Stored pieces.
        var pieces: Int
    }

    /// - Returns: `nil` for a missing and for an incomplete content.
    static func head(_ id: String, in store: any StoreReader) throws -> Head? {
        try store.row(
            """
            SELECT piece_size, size, digest, (SELECT COUNT(*) FROM blob_piece WHERE blob_id = \(id)) AS pieces
            FROM blob WHERE id = \(id) AND size IS NOT NULL
            """
        ).map { row in
            Head(
                pieceSize: try row.int("piece_size"), size: try row.int("size"), digest: try row.blob("digest"),
                pieces: try row.int("pieces"))
        }
    }

    /// Creates the head of an incomplete content, or sets its time.
    ///
    /// - Parameter isNew: Whether the content has no piece yet.
    /// - Throws: `BlobError` for a content that `sweep` removed; `StoreError.constraint` for a taken id.
    static func touch(_ id: String, isNew: Bool, at now: Date, in transaction: any StoreTransaction) throws {
        guard !isNew else {
            try transaction.execute(
                "INSERT INTO blob (id, written_at, piece_size) VALUES (\(id), \(now), \(BlobUpload.piece))")
            return
        }
        let changed = try transaction.execute(
            "UPDATE blob SET written_at = \(now) WHERE id = \(id) AND size IS NULL")
        guard changed == 1 else { throw BlobError.lost(id) }
    }

    static func insert(
        _ bytes: Data, checksum: Data, as number: Int, of id: String, in transaction: any StoreTransaction
    ) throws {
        try transaction.execute(
            "INSERT INTO blob_piece (blob_id, number, bytes, checksum) VALUES (\(id), \(number), \(bytes), \(checksum))"
        )
    }

    static func complete(_ id: String, size: Int, digest: Data, in transaction: any StoreTransaction) throws {
        try transaction.execute("UPDATE blob SET size = \(size), digest = \(digest) WHERE id = \(id)")
    }

    /// - Throws: `BlobError` for a missing or damaged piece.
    static func piece(_ number: Int, of id: String, in store: any StoreReader) throws -> Data {
        let row = try store.row(
            "SELECT bytes, checksum FROM blob_piece WHERE blob_id = \(id) AND number = \(number)")
        guard let row else { throw BlobError.lost(id) }
        let bytes = try row.blob("bytes")
        guard try row.blob("checksum") == checksum(bytes, number, of: id) else { throw BlobError.damaged(id) }
        return bytes
    }

    /// Removes a content, or 64 of its pieces: a large transaction would make every other writer wait.
    ///
    /// - Returns: Whether the content is gone.
    static func remove(_ id: String, in transaction: any StoreTransaction) throws -> Bool {
        let most = 64
        let removed = try transaction.execute(
            """
            DELETE FROM blob_piece WHERE blob_id = \(id)
            AND number IN (SELECT number FROM blob_piece WHERE blob_id = \(id) LIMIT \(most))
            """)
        guard removed < most else { return false }
        try transaction.execute("DELETE FROM blob WHERE id = \(id)")
        return true
    }

    /// The contents that were last written before `date`, in the order of their ids, at most 500.
    ///
    /// - Parameter last: The id before the first one.
    static func old(
        before date: Date, after last: String, in store: any StoreReader
    ) throws -> [(id: String, isComplete: Bool)] {
        try store.rows(
            """
            SELECT id, size FROM blob WHERE written_at < \(date) AND id > \(last) ORDER BY id LIMIT 500
            """
        ).map { (try $0.text("id"), try !$0.isNull("size")) }
    }

    /// The SHA-256 of a piece and its place, so that a piece in the place of another one is detected.
    static func checksum(_ bytes: Data, _ number: Int, of id: String) -> Data {
        var hash = SHA256()
        hash.update(data: Data("\(id) \(number)\n".utf8))
        hash.update(data: bytes)
        return Data(hash.finalize())
    }
}
