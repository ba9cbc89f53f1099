import AttachmentsAPI
import AttachmentsDomain
import FoundationEssentials
import JournalDomain
import StrataDomain
import StrataService

/// The table of attachments. A `BlobStore` has their contents.
enum AttachmentTable {
    /// Deleting an entry, by REST or by synchronisation, deletes its attachments in the same transaction.
    static let migration = StoreMigration(
        "attachments-1", after: ["journal_entries-1"],
        """
        CREATE TABLE attachment (
            id TEXT NOT NULL PRIMARY KEY,
            entry_id TEXT NOT NULL REFERENCES journal_entries (id) ON DELETE CASCADE,
            file_name TEXT NOT NULL, media_type TEXT NOT NULL, size BIGINT NOT NULL, sha256 TEXT NOT NULL,
            blob_id TEXT NOT NULL UNIQUE, created_at BIGINT NOT NULL)
        """,
        "CREATE INDEX attachment_by_entry ON attachment (entry_id, created_at, id)"
    )

    /// The contents. Deleting an attachment leaves its content in this table. The content is removed after that commit, and
    /// its row after the content, so a crash in between loses nothing.
    static let files = StoreMigration(
        "attachments-2-files",
        """
        CREATE TABLE attachment_file (
            blob_id TEXT NOT NULL PRIMARY KEY, attachment_id TEXT REFERENCES attachment (id) ON DELETE SET NULL)
        """,
        "CREATE INDEX attachment_file_by_attachment ON attachment_file (attachment_id)",
        "INSERT INTO attachment_file (blob_id, attachment_id) SELECT blob_id, id FROM attachment"
    )

    private static let columns: Statement =
        "id, entry_id, file_name, media_type, size, sha256, blob_id, created_at"

    /// An attachment and the id of its content.
    struct Stored {
        var attachment: Attachment
        var blobId: String
    }

    /// - Returns: The host of the entry.
    /// - Throws: 404.
    @discardableResult
    static func requireEntry(_ id: JournalEntry.ID, in store: any StoreReader) throws -> String {
        guard let row = try store.row("SELECT host FROM journal_entries WHERE id = \(id.rawValue)") else {
            throw ServiceError.notFound("journal entry", id.rawValue)
        }
        return try row.text("host")
    }

    /// - Throws: 404.
    static func require(_ id: Attachment.ID, in store: any StoreReader) throws -> Stored {
        guard let row = try store.row("SELECT \(columns) FROM attachment WHERE id = \(id.rawValue)") else {
            throw ServiceError.notFound("attachment", id.rawValue)
        }
        return try Stored(row)
    }

    static func insert(_ attachment: Attachment, blobId: String, in store: any StoreTransaction) throws {
        try store.execute(
            """
            INSERT INTO attachment (\(columns))
            VALUES (\(attachment.id.rawValue), \(attachment.entryId.rawValue), \(attachment.fileName.text),
                \(attachment.mediaType), \(Int(attachment.size)), \(attachment.digest.bytes.base64EncodedString()),
                \(blobId), \(attachment.createdAt))
            """)
        try store.execute(
            "INSERT INTO attachment_file (blob_id, attachment_id) VALUES (\(blobId), \(attachment.id.rawValue))")
    }

    /// Contents whose attachment was deleted, at most 500.
    static func unreferred(in store: any StoreReader) throws -> [String] {
        try store.rows("SELECT blob_id FROM attachment_file WHERE attachment_id IS NULL LIMIT 500")
            .map { try $0.text("blob_id") }
    }

    /// Deletes the rows of removed contents.
    static func forget(_ blobIds: [String], in store: any StoreTransaction) throws {
        try store.execute(
            "DELETE FROM attachment_file WHERE attachment_id IS NULL AND blob_id IN (\(list: blobIds))")
    }

    /// A page of the files of an entry, oldest first (`created_at`, then id).
    ///
    /// - Throws: 404 without the entry, 400 for a cursor of another list, 422 for a limit out of range.
    static func page(_ call: ListAttachments, in store: any StoreReader) throws -> CursorPage<Attachment> {
        let limit = try PageLimit.checked(call.limit, in: 1...500, default: 50)
        let start = try call.cursor.map { try after($0, of: call.id) } ?? "1 = 1"
        try requireEntry(call.id, in: store)
        return try store.page(
            of: list(call.id),
            """
            SELECT \(columns) FROM attachment WHERE entry_id = \(call.id.rawValue) AND \(start)
            ORDER BY created_at, id
            """, limit: limit
        ) {
            try Stored($0).attachment
        } cursor: {
            KeysetCursor(RFC3339.string(from: $0.createdAt), $0.id.rawValue)
        }
    }

    /// The contents that attachments refer to, in the order of their ids, at most 500.
    ///
    /// - Parameter last: The id before the first one.
    static func contents(after last: String, in store: any StoreReader) throws -> [StoredBlob] {
        try store.rows(
            "SELECT \(columns) FROM attachment WHERE blob_id > \(last) ORDER BY blob_id LIMIT 500"
        ).map { row in
            let stored = try Stored(row)
            let attachment = stored.attachment
            return StoredBlob(id: stored.blobId, size: Int(attachment.size), digest: attachment.digest.bytes)
        }
    }

    /// The given contents that an attachment refers to.
    static func referred(_ blobIds: [String], in store: any StoreReader) throws -> Set<String> {
        let rows = try store.rows("SELECT blob_id FROM attachment WHERE blob_id IN (\(list: blobIds))")
        return Set(try rows.map { try $0.text("blob_id") })
    }

    private static func list(_ entry: JournalEntry.ID) -> String { "attachments/\(entry)" }

    private static func after(_ text: String, of entry: JournalEntry.ID) throws -> Statement {
        let cursor = try KeysetCursor(text, for: list(entry), count: 2)
        guard let createdAt = RFC3339.date(from: cursor.values[0]) else { throw KeysetCursor.invalid }
        return "(created_at, id) > (\(createdAt), \(cursor.values[1]))"
    }
}

extension AttachmentTable.Stored {
    init(_ row: StoreRow) throws {
        guard let bytes = Data(base64Encoded: try row.text("sha256")), let digest = ContentDigest(.sha256, bytes)
        else { throw StoreError.failed("attachment.sha256 is no SHA-256") }
        attachment = Attachment(
            id: Attachment.ID(try row.text("id")), entryId: JournalEntry.ID(try row.text("entry_id")),
            fileName: FileName(nearest: try row.text("file_name")), mediaType: try row.text("media_type"),
            size: Int64(try row.int("size")), digest: digest, createdAt: try row.date("created_at"))
        blobId = try row.text("blob_id")
    }
}
