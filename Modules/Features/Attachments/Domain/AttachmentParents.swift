package import StrataDomain

/// What this machine knows of the entities that files belong to.
package struct AttachmentParents<Parent: Entity>: Sendable {
    let entities: EntityUseCases<Parent>
    let settle: @Sendable () async -> Void

    /// - Parameters:
    ///   - entities: The entities of the offline store, else those of the server.
    ///   - settle: Lets queued entities reach the server within a short time. Never fails.
    package init(_ entities: EntityUseCases<Parent>, settle: @escaping @Sendable () async -> Void) {
        (self.entities, self.settle) = (entities, settle)
    }

    /// Ids that begin or end with `part`.
    package func ids(with part: String) async throws(DomainError) -> [Identifier<Parent>] {
        try await entities.ids(with: part)
    }

    /// `nil` for an entity that this machine cannot find.
    func stored(_ id: Identifier<Parent>) async throws(DomainError) -> Stored<Parent>? {
        do { return try await entities.get(id).value } catch {
            if case .notFound = error { return nil }
            throw error
        }
    }
}
