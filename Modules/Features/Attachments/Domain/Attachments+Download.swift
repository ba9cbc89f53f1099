package import StrataDomain

extension Attachments {
    /// Writes the content of an attachment to a file.
    ///
    /// Without a destination the file gets the attachment's name in the working folder, and replaces nothing. So it does in a
    /// destination that is a folder. A destination that is a file is replaced when the content is complete.
    ///
    /// - Throws: `.notFound` for an unknown id; `.storage` for a file that cannot be written, and for one that would be replaced
    ///   without being named; `.validation` for a destination that is neither a file nor a folder.
    package func download(
        _ id: Attachment<Parent>.ID, to destination: String? = nil, progress: TransferProgress? = nil
    ) async throws(DomainError) -> DownloadedAttachment<Parent> {
        defer { progress?.finish() }
        let attachment = try await repository.get(id)
        let (path, mayReplace) = try place(of: attachment, destination)
        if files.kind(of: path) != .nothing, !mayReplace {
            guard try await isThere(attachment, at: path) else {
                throw .storage(
                    "'\(path)' exists and is another file; name it with -o to replace it, or name another one.")
            }
            return DownloadedAttachment(attachment: attachment, path: path, resumedFrom: 0, wasThere: true)
        }
        let resumed = try await repository.download(attachment, to: path, progress: progress)
        return DownloadedAttachment(attachment: attachment, path: path, resumedFrom: resumed, wasThere: false)
    }

    private func place(
        of attachment: Attachment<Parent>, _ destination: String?
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

    /// Whether an earlier run has downloaded the content to `path`.
    private func isThere(_ attachment: Attachment<Parent>, at path: String) async throws(DomainError) -> Bool {
        guard files.kind(of: path) == .file else { return false }
        let file = try await files.measure(path)
        return file.size == attachment.size && file.digest == attachment.digest
    }
}

/// A file of an entity, after `Attachments.download`.
package struct DownloadedAttachment<Parent: Entity>: Sendable, Hashable {
    package let attachment: Attachment<Parent>
    package let path: String
    /// Bytes that an earlier run had left.
    package let resumedFrom: Int64
    /// Whether the file was there already with the same content, so that nothing was transferred.
    package let wasThere: Bool
}
