package import AttachmentsDomain
package import StrataDomain
import StrataTerminal

extension Attachments {
    /// The files of an entity, for a view of it. Nothing for an entity that the server does not have yet.
    package func details(of parent: Identifier<Parent>) async throws(DomainError) -> [EntityDetail] {
        let files: [Attachment<Parent>]
        do throws(DomainError) { files = try await list(parent, limit: 100) } catch {
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
