package import JournalDomain
package import StrataDomain

extension Attachments {
    /// Attaches a file of this machine to a journal entry. A file that the entry has already, with the same name, type and
    /// content, is not sent again.
    ///
    /// - Throws: `.notFound` for an unreadable file and for an unknown entry; `.unavailable` for an entry that could not be sent
    ///   yet; `.validation` for a file that the server refuses.
    package func add(
        _ path: String, to entry: JournalEntry.ID, progress: TransferProgress? = nil
    ) async throws(DomainError) -> AddedAttachment {
        defer { progress?.finish() }
        let file = try await files.measure(path)
        try await deliver(entry)
        // Fails for an unknown entry before the file is sent.
        if let same = try await list(entry).first(where: file.isContent) {
            return AddedAttachment(attachment: same, wasThere: true, resumedFrom: 0)
        }
        let (attachment, resumedFrom) = try await repository.add(file, to: entry, progress: progress)
        return AddedAttachment(attachment: attachment, wasThere: false, resumedFrom: resumedFrom)
    }

    /// Waits until the server has an entry that was written here. An entry that is not stored here is left to the server.
    private func deliver(_ id: JournalEntry.ID) async throws(DomainError) {
        let journal = try await journal()
        guard let item = try await stored(id, in: journal), item.version == 0 else { return }
        if item.syncState == .queued { await journal.settle() }
        guard let now = try await stored(id, in: journal), now.version == 0 else { return }
        if now.syncState == .rejected {
            throw .validation(
                "The server refused journal entry '\(id)', so nothing can be attached to it; 'shiftlog outbox list' says "
                    + "why.")
        }
        throw .unavailable(
            "Journal entry '\(id)' is on this machine only, and files go to the server; run 'shiftlog sync', then attach "
                + "the file again.")
    }

    private func stored(_ id: JournalEntry.ID, in journal: Journal) async throws(DomainError) -> Stored<JournalEntry>? {
        do { return try await journal.entries.get(id).value } catch {
            if case .notFound = error { return nil }
            throw error
        }
    }
}

package struct AddedAttachment: Sendable, Hashable {
    package let attachment: Attachment
    /// Whether the entry had it already, so that nothing was sent.
    package let wasThere: Bool
    /// Bytes that an earlier run had sent.
    package let resumedFrom: Int64
}

extension LocalFile {
    /// Whether `attachment` has this content, name and type.
    fileprivate func isContent(of attachment: Attachment) -> Bool {
        attachment.fileName == name && attachment.mediaType == mediaType && attachment.size == size
            && attachment.digest == digest
    }
}
