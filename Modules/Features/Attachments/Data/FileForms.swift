package import AttachmentsDomain
package import StrataDomain

/// Makes `multipart/form-data` bodies that read a file while they are sent.
package protocol FileForms: Sendable {
    /// A body with one part that holds `file` under its name and media type, and can be sent again from its start.
    ///
    /// - Throws: `.notFound` for a file that cannot be read any more.
    func body(
        of file: LocalFile, part: String, progress: TransferProgress?
    ) async throws(DomainError) -> UploadBody
}
