package import JournalDomain
package import StrataDomain

/// The use cases of attachments.
package struct Attachments: Sendable {
    /// Opens the journal of this machine.
    package typealias OpenJournal = @Sendable () async throws(DomainError) -> Journal

    let repository: any AttachmentRepository
    let files: any LocalFiles
    /// The journal of this machine, which need not have the entries of all attachments.
    package let journal: OpenJournal

    /// - Parameter journal: Called by `add`, for the entry may not have been sent yet, and to complete a shortened id.
    package init(
        _ repository: any AttachmentRepository, files: any LocalFiles, journal: @escaping OpenJournal
    ) {
        self.repository = repository
        self.files = files
        self.journal = journal
    }

    /// The files of an entry, oldest first.
    ///
    /// - Parameter limit: Most files to return. Default: all.
    /// - Throws: `.notFound` for an entry that the server does not have.
    package func list(_ entry: JournalEntry.ID, limit: Int? = nil) async throws(DomainError) -> [Attachment] {
        try await repository.list(entry, limit: limit)
    }
}
