/// What can be done with attachments; built once over a repository and handed to commands.
package struct Attachments: Sendable {
    package let add: AddAttachment
    package let browse: BrowseAttachments
    package let fetch: FetchAttachment
    /// Opens the journal of this machine, which need not have the entries of all attachments.
    package let journal: AddAttachment.OpenJournal

    /// - Parameter journal: Opened when a file is attached, whose entry may not have been sent yet, and when an entry is named
    ///   by a part of its id.
    package init(
        _ repository: any AttachmentRepository, files: any LocalFiles,
        journal: @escaping AddAttachment.OpenJournal
    ) {
        add = AddAttachment(repository, files: files, journal: journal)
        browse = BrowseAttachments(repository)
        fetch = FetchAttachment(repository, files: files)
        self.journal = journal
    }
}
