package import StrataDomain

/// The use cases of the attachments of one kind of entity.
package struct Attachments<Parent: Entity>: Sendable {
    /// Opens what this machine knows of the entities.
    package typealias OpenParents = @Sendable () async throws(DomainError) -> AttachmentParents<Parent>

    let repository: any AttachmentRepository<Parent>
    let files: any LocalFiles
    /// The entities of this machine, which need not be those of all attachments.
    package let parents: OpenParents

    /// - Parameter parents: Called by `add`, for the entity may not have been sent yet, and to complete a shortened id.
    package init(
        _ repository: any AttachmentRepository<Parent>, files: any LocalFiles, parents: @escaping OpenParents
    ) {
        self.repository = repository
        self.files = files
        self.parents = parents
    }

    /// The files of an entity, oldest first.
    ///
    /// - Parameter limit: Most files to return. Default: all.
    /// - Throws: `.notFound` for an entity that the server does not have.
    package func list(_ parent: Identifier<Parent>, limit: Int? = nil) async throws(DomainError) -> [Attachment<Parent>]
    {
        try await repository.list(parent, limit: limit)
    }
}
