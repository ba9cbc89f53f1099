package import StrataDomain

/// Brings the content of an attachment into a file.
package struct FetchAttachment: Sendable {
    private let repository: any AttachmentRepository
    private let files: any LocalFiles

    package init(_ repository: any AttachmentRepository, files: any LocalFiles) {
        self.repository = repository
        self.files = files
    }

    /// The attachment and where its content is now.
    ///
    /// Without a destination the file gets the attachment's name in the working folder, whatever the server calls it, and
    /// replaces nothing. A destination that is a folder is treated the same way. A destination that is a file is replaced
    /// once the content is complete.
    ///
    /// - Throws: `.notFound` for an unknown id; `.storage` for a file that would have to be replaced without being named,
    ///   or cannot be written; `.validation` for a destination that is neither a file nor a folder.
    package func callAsFunction(
        _ id: Attachment.ID, to destination: String? = nil, progress: TransferProgress? = nil
    ) async throws(DomainError) -> FetchedAttachment {
        defer { progress?.finish() }
        let attachment = try await repository.attachment(id)
        let (path, mayReplace) = try place(of: attachment, destination)
        if files.kind(of: path) != .nothing, !mayReplace {
            guard try await isThere(attachment, at: path) else {
                throw .storage(
                    "'\(path)' exists and is another file; name it with -o to replace it, or name another one.")
            }
            return FetchedAttachment(attachment: attachment, path: path, resumedFrom: 0, wasThere: true)
        }
        let resumed = try await repository.fetch(attachment, to: path, progress: progress)
        return FetchedAttachment(attachment: attachment, path: path, resumedFrom: resumed, wasThere: false)
    }

    private func place(
        of attachment: Attachment, _ destination: String?
    ) throws(DomainError) -> (path: String, mayReplace: Bool) {
        let name = attachment.fileName.visible.text
        guard let destination else { return (name, false) }
        switch files.kind(of: destination) {
        case .directory: return (destination + (destination.hasSuffix("/") ? "" : "/") + name, false)
        case .nothing, .file: return (destination, true)
        case .other:
            throw .validation("'\(destination)' is neither a file nor a folder; give another place with -o.")
        }
    }

    /// Whether the file at `path` has the content already: an earlier run brought it.
    private func isThere(_ attachment: Attachment, at path: String) async throws(DomainError) -> Bool {
        guard files.kind(of: path) == .file else { return false }
        let measure = try await files.measure(path)
        return measure.size == attachment.size && measure.digest == attachment.digest
    }
}

/// An attachment whose content is in a file.
package struct FetchedAttachment: Sendable, Hashable {
    package var attachment: Attachment
    package var path: String
    /// Bytes that an earlier run had left.
    package var resumedFrom: Int64
    /// Whether the file was there already with the same content, so that nothing was transferred.
    package var wasThere: Bool

    package init(attachment: Attachment, path: String, resumedFrom: Int64, wasThere: Bool) {
        self.attachment = attachment
        self.path = path
        self.resumedFrom = resumedFrom
        self.wasThere = wasThere
    }
}
