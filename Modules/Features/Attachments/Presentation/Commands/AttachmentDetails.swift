package import AttachmentsDomain
package import JournalDomain
package import StrataDomain
import StrataTerminal

extension Attachments {
    /// The files of an entry, for a view of the entry. Nothing for an entry that the server does not have yet.
    package func details(of entry: JournalEntry.ID) async throws(DomainError) -> [EntityDetail] {
        let files: [Attachment]
        do throws(DomainError) { files = try await list(entry, limit: 100) } catch {
            guard error.kind == .notFound else { throw error }
            return []
        }
        guard !files.isEmpty else { return [] }
        return [
            EntityDetail(
                "attachments",
                files.map { "\($0.fileName.text)  \(QuantityText.bytes(Int64($0.size)))  \($0.mediaType)" })
        ]
    }
}
