/// What can be done with attachments; built once over a repository and handed to commands.
package struct Attachments: Sendable {
    package let add: AddAttachment
    package let browse: BrowseAttachments
    package let fetch: FetchAttachment

    /// - Parameter journal: Opened when a file is attached: its entry may not have been sent yet.
    package init(
        _ repository: any AttachmentRepository, files: any LocalFiles,
        journal: @escaping AddAttachment.OpenJournal
    ) {
        add = AddAttachment(repository, files: files, journal: journal)
        browse = BrowseAttachments(repository)
        fetch = FetchAttachment(repository, files: files)
    }
}
