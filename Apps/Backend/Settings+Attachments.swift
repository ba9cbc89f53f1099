import AttachmentsService
import StrataServerProgram
import StrataService

extension Setting {
    static let attachmentDirectory = Setting(
        "attachment_directory", "the database's path and '.attachments'; with PostgreSQL the database")
    static let attachmentBytes = Setting(
        "attachment_bytes", "104857600; the largest file", in: 1...1_099_511_627_776)
}

extension Settings {
    /// Largest attachment in bytes.
    var attachmentBytes: Int { number(.attachmentBytes) ?? AttachmentsService.standardLimit }

    /// The contents of attachments: files next to an embedded database; with PostgreSQL tables of `store`.
    func blobs(in store: any Store) -> any BlobStore {
        if let directory = text(.attachmentDirectory) ?? databaseFile.map({ "\($0).attachments" }) {
            BlobDirectory(path: directory)
        } else {
            BlobTables(in: store)
        }
    }
}
