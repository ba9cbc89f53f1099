import AttachmentsAPI
import AttachmentsDomain
import FoundationEssentials
import StrataDomain
import StrataService

/// The table of the attachments of one kind of entity. A `BlobStore` has their contents.
enum AttachmentTable<Parent: Entity> {
    private typealias Names = AttachmentNames<Parent>
    private static var name: String { Names.table }
    private static var plural: String { Names.path.replacing("-", with: "_") }

    /// Deleting an entity, by REST or by synchronisation, deletes its attachments in the same transaction.
    static var migration: StoreMigration {
        StoreMigration(
            "\(plural)-1", after: ["\(Parent.collection)-1"],
            """
            CREATE TABLE \(name) (
                id TEXT NOT NULL PRIMARY KEY,
                \(Names.column) TEXT NOT NULL REFERENCES \(Parent.collection) (id) ON DELETE CASCADE,
                file_name TEXT NOT NULL, media_type TEXT NOT NULL, size BIGINT NOT NULL, sha256 TEXT NOT NULL,
                blob_id TEXT NOT NULL UNIQUE, created_at BIGINT NOT NULL)
            """,
            "CREATE INDEX \(name)_by_\(Names.word) ON \(name) (\(Names.column), created_at, id)")
    }

    /// The contents. Deleting an attachment leaves its content in this table. The content is removed after that commit, and
    /// its row after the content, so a crash in between loses nothing.
    static var files: StoreMigration {
        StoreMigration(
            "\(plural)-2-files",
            """
            CREATE TABLE \(name)_file (
                blob_id TEXT NOT NULL PRIMARY KEY, attachment_id TEXT REFERENCES \(name) (id) ON DELETE SET NULL)
            """,
            "CREATE INDEX \(name)_file_by_attachment ON \(name)_file (attachment_id)",
            "INSERT INTO \(name)_file (blob_id, attachment_id) SELECT blob_id, id FROM \(name)")
    }

    private static var table: Statement { Statement(stringLiteral: name) }
    private static var fileTable: Statement { Statement(stringLiteral: "\(name)_file") }
    private static var parent: Statement { Statement(stringLiteral: Names.column) }
    private static var columns: Statement {
        "id, \(parent), file_name, media_type, size, sha256, blob_id, created_at"
    }

    /// An attachment and the id of its content.
    struct Stored {
        var attachment: Attachment<Parent>
        var blobId: String
    }

    /// - Parameter visible: A `SELECT` of the ids of the entities that the caller sees.
    /// - Throws: 404, also for a file of an entity that is not among `visible`.
    static func require(
        _ id: Attachment<Parent>.ID, of visible: Statement, in store: any StoreReader
    ) throws -> Stored {
        guard
            let row = try store.row(
                "SELECT \(columns) FROM \(table) WHERE id = \(id.rawValue) AND \(parent) IN (\(visible))")
        else { throw ServiceError.notFound(Names.noun, id.rawValue) }
        return try Stored(row)
    }

    static func insert(_ attachment: Attachment<Parent>, blobId: String, in store: any StoreTransaction) throws {
        try store.execute(
            """
            INSERT INTO \(table) (\(columns))
            VALUES (\(attachment.id.rawValue), \(attachment.parentId.rawValue), \(attachment.fileName.text),
                \(attachment.mediaType), \(Int(attachment.size)), \(attachment.digest.bytes.base64EncodedString()),
                \(blobId), \(attachment.createdAt))
            """)
        try store.execute(
            "INSERT INTO \(fileTable) (blob_id, attachment_id) VALUES (\(blobId), \(attachment.id.rawValue))")
    }

    /// Contents whose attachment was deleted, at most 500.
    static func unreferred(in store: any StoreReader) throws -> [String] {
        try store.rows("SELECT blob_id FROM \(fileTable) WHERE attachment_id IS NULL LIMIT 500")
            .map { try $0.text("blob_id") }
    }

    /// Deletes the rows of removed contents.
    static func forget(_ blobIds: [String], in store: any StoreTransaction) throws {
        try store.execute(
            "DELETE FROM \(fileTable) WHERE attachment_id IS NULL AND blob_id IN (\(list: blobIds))")
    }

    /// A page of the files of an entity, oldest first (`created_at`, then id).
    ///
    /// - Parameter admit: Throws 404 for an entity that the caller does not see.
    /// - Throws: 404 without the entity, 400 for a cursor of another list, 422 for a limit out of range.
    static func page(
        _ call: ListAttachments<Parent>, in store: any StoreReader, admit: () throws -> Void
    ) throws -> CursorPage<Attachment<Parent>> {
        let limit = try PageLimit.checked(call.limit, in: 1...500, default: 50)
        let start = try call.cursor.map { try after($0, of: call.id) } ?? "1 = 1"
        try admit()
        return try store.page(
            of: list(call.id),
            """
            SELECT \(columns) FROM \(table) WHERE \(parent) = \(call.id.rawValue) AND \(start)
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
            "SELECT \(columns) FROM \(table) WHERE blob_id > \(last) ORDER BY blob_id LIMIT 500"
        ).map { row in
            let stored = try Stored(row)
            let attachment = stored.attachment
            return StoredBlob(id: stored.blobId, size: Int(attachment.size), digest: attachment.digest.bytes)
        }
    }

    /// The given contents that an attachment refers to.
    static func referred(_ blobIds: [String], in store: any StoreReader) throws -> Set<String> {
        let rows = try store.rows("SELECT blob_id FROM \(table) WHERE blob_id IN (\(list: blobIds))")
        return Set(try rows.map { try $0.text("blob_id") })
    }

    private static func list(_ parent: Identifier<Parent>) -> String { "\(Names.path)/\(parent)" }

    private static func after(_ text: String, of parent: Identifier<Parent>) throws -> Statement {
        let cursor = try KeysetCursor(text, for: list(parent), count: 2)
        guard let createdAt = RFC3339.date(from: cursor.values[0]) else { throw KeysetCursor.invalid }
        return "(created_at, id) > (\(createdAt), \(cursor.values[1]))"
    }
}

extension AttachmentTable.Stored {
    init(_ row: StoreRow) throws {
        guard let bytes = Data(base64Encoded: try row.text("sha256")), let digest = ContentDigest(.sha256, bytes)
        else { throw StoreError.failed("\(AttachmentNames<Parent>.table).sha256 is no SHA-256") }
        attachment = Attachment(
            id: Attachment<Parent>.ID(try row.text("id")),
            parentId: Identifier(try row.text(AttachmentNames<Parent>.column)),
            fileName: FileName(nearest: try row.text("file_name")), mediaType: try row.text("media_type"),
            size: Int64(try row.int("size")), digest: digest, createdAt: try row.date("created_at"))
        blobId = try row.text("blob_id")
    }
}
