package import JournalDomain
package import StrataDomain

/// Lists the files of an entry, oldest first.
package struct BrowseAttachments: Sendable {
    private let repository: any AttachmentRepository
    package init(_ repository: any AttachmentRepository) { self.repository = repository }

    /// - Throws: `.notFound` for an entry the server does not have.
    package func callAsFunction(_ entry: JournalEntry.ID) async throws(DomainError) -> [Attachment] {
        try await repository.attachments(of: entry)
    }
}
