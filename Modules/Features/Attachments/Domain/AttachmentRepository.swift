package import JournalDomain
package import StrataDomain

/// The attachments at the server.
package protocol AttachmentRepository: Sendable {
    /// Uploads a file to an entry that the server has. A repeated upload of the same file with the same name to the same entry
    /// returns the first attachment, also after a crash in between. An interrupted upload of a large file is resumed.
    ///
    /// - Returns: The attachment, and bytes that an earlier run had sent.
    /// - Throws: `.notFound` for an entry that the server does not have; `.validation` for a file that it refuses.
    func add(
        _ file: LocalFile, to entry: JournalEntry.ID, progress: TransferProgress?
    ) async throws(DomainError) -> (attachment: Attachment, resumedFrom: Int64)

    /// The attachments of an entry, oldest first.
    ///
    /// - Parameter limit: Most attachments to return. `nil`: all.
    /// - Throws: `.notFound` for an entry that the server does not have.
    func list(_ entry: JournalEntry.ID, limit: Int?) async throws(DomainError) -> [Attachment]

    /// - Throws: `.notFound` for an id that the server does not have.
    func get(_ id: Attachment.ID) async throws(DomainError) -> Attachment

    /// Writes the content to the file at `path` when it is complete and has the stated digest. A part that an earlier run left
    /// is completed.
    ///
    /// - Returns: Bytes that an earlier run had left.
    func download(
        _ attachment: Attachment, to path: String, progress: TransferProgress?
    ) async throws(DomainError) -> Int64
}
