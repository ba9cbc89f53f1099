package import JournalDomain
package import StrataDomain

/// Where attachments are kept: at the server, each with its entry.
package protocol AttachmentRepository: Sendable {
    /// Sends `file` to an entry the server has. Sending the same file under the same name to the same entry again answers
    /// with the attachment that is there, also after a crash in between.
    ///
    /// - Throws: `.notFound` for an entry the server does not have; `.validation` for a file it refuses.
    func add(
        _ file: LocalFile, to entry: JournalEntry.ID, progress: TransferProgress?
    ) async throws(DomainError) -> Attachment

    /// All attachments of an entry, oldest first.
    ///
    /// - Throws: `.notFound` for an entry the server does not have.
    func attachments(of entry: JournalEntry.ID) async throws(DomainError) -> [Attachment]

    /// - Throws: `.notFound` for an id the server does not have.
    func attachment(_ id: Attachment.ID) async throws(DomainError) -> Attachment

    /// Puts the content into the file at `path`, whole and compared with its digest, or not at all. A beginning that an
    /// earlier run left is completed.
    ///
    /// - Returns: Bytes that an earlier run had left.
    func fetch(
        _ attachment: Attachment, to path: String, progress: TransferProgress?
    ) async throws(DomainError) -> Int64
}
