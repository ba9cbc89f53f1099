package import JournalDomain
package import StrataDomain

/// Attaches a file of this machine to an entry of the journal.
package struct AddAttachment: Sendable {
    /// The journal of this machine, opened when it is needed.
    package typealias OpenJournal = @Sendable () async throws(DomainError) -> Journal

    private let repository: any AttachmentRepository
    private let files: any LocalFiles
    private let journal: OpenJournal

    package init(
        _ repository: any AttachmentRepository, files: any LocalFiles,
        journal: @escaping OpenJournal
    ) {
        self.repository = repository
        self.files = files
        self.journal = journal
    }

    /// The attachment as the server has it. A file that the entry has already, with the same name, type and content, is not
    /// sent again, however long ago it was attached.
    ///
    /// - Throws: `.notFound` for a file that cannot be read or an entry nobody has; `.unavailable` for an entry that could
    ///   not be sent yet; `.validation` for a file the server refuses.
    package func callAsFunction(
        _ path: String, to entry: JournalEntry.ID, progress: TransferProgress? = nil
    ) async throws(DomainError) -> AddedAttachment {
        defer { progress?.finish() }
        let measure = try await files.measure(path)
        let name = FileName(nearest: path)
        let file = LocalFile(
            path: path, name: name, mediaType: FileMediaType.guessed(from: name), size: measure.size,
            digest: measure.digest)
        try await deliver(entry)
        // Also tells an unknown entry before anything large is sent.
        if let same = try await repository.attachments(of: entry).first(where: file.isContent) {
            return AddedAttachment(attachment: same, wasThere: true)
        }
        return AddedAttachment(
            attachment: try await repository.add(file, to: entry, progress: progress), wasThere: false)
    }

    /// Sees to it that the server has an entry that was written here. An entry that is not stored here is the server's to
    /// know.
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
        do { return try await journal.get(id) } catch {
            if case .notFound = error { return nil }
            throw error
        }
    }
}

/// A file that is attached now.
package struct AddedAttachment: Sendable, Hashable {
    package var attachment: Attachment
    /// Whether the entry had it already, so that nothing was sent.
    package var wasThere: Bool

    package init(attachment: Attachment, wasThere: Bool) {
        self.attachment = attachment
        self.wasThere = wasThere
    }
}

extension LocalFile {
    /// Whether `attachment` is this file, under this name.
    fileprivate func isContent(of attachment: Attachment) -> Bool {
        attachment.fileName == name && attachment.mediaType == mediaType && attachment.size == size
            && attachment.digest == digest
    }
}
