package import StrataDomain

extension Attachments {
    /// Attaches a file of this machine to an entity. A file that the entity has already, with the same name, type and
    /// content, is not sent again.
    ///
    /// - Throws: `.notFound` for an unreadable file and for an unknown entity; `.unavailable` for an entity that could not be sent
    ///   yet; `.validation` for a file that the server refuses.
    package func add(
        _ path: String, to parent: Identifier<Parent>, progress: TransferProgress? = nil
    ) async throws(DomainError) -> AddedAttachment<Parent> {
        defer { progress?.finish() }
        let file = try await files.measure(path)
        try await deliver(parent)
        // Fails for an unknown entity before the file is sent.
        if let same = try await list(parent).first(where: file.isContent) {
            return AddedAttachment(attachment: same, wasThere: true, resumedFrom: 0)
        }
        let (attachment, resumedFrom) = try await repository.add(file, to: parent, progress: progress)
        return AddedAttachment(attachment: attachment, wasThere: false, resumedFrom: resumedFrom)
    }

    /// Waits until the server has an entity that was written here. An entity that is not stored here is left to the server.
    private func deliver(_ id: Identifier<Parent>) async throws(DomainError) {
        let parents = try await parents()
        guard let item = try await parents.stored(id), item.version == 0 else { return }
        if item.syncState == .queued { await parents.settle() }
        guard let now = try await parents.stored(id), now.version == 0 else { return }
        if now.syncState == .rejected {
            throw .validation(
                "The server refused \(Parent.noun) '\(id)', so nothing can be attached to it; 'shiftlog outbox list' says "
                    + "why.")
        }
        throw .unavailable(
            "\(Parent.noun.prefix(1).uppercased() + Parent.noun.dropFirst()) '\(id)' is on this machine only, and files go to the "
                + "server; run 'shiftlog sync', then attach the file again.")
    }
}

/// A file of an entity, after `Attachments.add`.
package struct AddedAttachment<Parent: Entity>: Sendable, Hashable {
    package let attachment: Attachment<Parent>
    /// Whether the entity had it already, so that nothing was sent.
    package let wasThere: Bool
    /// Bytes that an earlier run had sent.
    package let resumedFrom: Int64
}

extension LocalFile {
    /// Whether `attachment` has this content, name and type.
    fileprivate func isContent<Parent: Entity>(of attachment: Attachment<Parent>) -> Bool {
        attachment.fileName == name && attachment.mediaType == mediaType && attachment.size == size
            && attachment.digest == digest
    }
}
