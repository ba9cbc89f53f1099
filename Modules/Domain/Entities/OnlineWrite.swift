/// A write that went straight to the server and was made, with what taking it back needs: no secret, only values of an entity.
public struct OnlineWrite: Codable, Sendable, Hashable {
    /// The collection of the entity.
    public internal(set) var collection: String
    /// The id of the entity; empty for an import.
    package var entityId: String
    /// What was written.
    package var operation: Mutation.Operation
    /// What an edit or a deletion replaced, by name on the wire; `nil` of a new entity.
    package var before: [String: JSONValue]?
    /// The version that the write made, or deleted.
    package var version: Int
    /// Of an import: how many rows it wrote; it is not taken back. `nil` of a single write.
    package var importedRows: Int?

    /// A write that the server has answered with `stored`; of a deletion, what it deleted.
    package init<Content: Entity>(
        _ operation: Mutation.Operation, _ stored: Stored<Content>, before: Content? = nil
    ) {
        (collection, entityId) = (Content.collection, stored.id.rawValue)
        (self.operation, self.before, version) = (operation, before?.fieldValues, stored.version)
    }

    /// An import into `collection`.
    package init(importOf rows: Int, into collection: String) {
        (self.collection, entityId, operation, version, importedRows) = (collection, "", .create, 0, rows)
    }

    /// Whether it wrote the rows of a file.
    package var isImport: Bool { importedRows != nil }

    /// What was written, for a sentence: `the edit of '9f2c41d' in notes`.
    public var name: String {
        if let importedRows { return "an import of \(importedRows) rows into \(collection)" }
        return "\(operation.phrase) of '\(entityId)' in \(collection)"
    }
}

extension EntityUseCases {
    /// Sends the inverse of a write of this collection. The server makes it only while the entity has the version of that write, and
    /// once, even if its response was lost and it is tried again.
    ///
    /// - Parameter server: Read after a refusal, past the cache: what is read there does not count as shown.
    /// - Throws: `.conflict` when the entity was changed or deleted since; what the server says to the inverse.
    public func takeBack(
        _ write: OnlineWrite, at server: any EntityRepository<Content>
    ) async throws(DomainError) -> UndoneWrite {
        let id = Content.ID(write.entityId)
        do {
            return try await WriteKey.$current.withValue(write.inverseKey) { try await sendInverse(of: write, id) }
        } catch {
            let error = DomainError(error)
            guard write.operation != .delete, await server.isOther(id, than: write.version, after: error) else {
                throw error
            }
            throw .conflict(
                "'\(id)' in \(write.collection) was changed after the last write here, so undoing it would take back another change. "
                    + "Edit it instead.")
        }
    }

    private func sendInverse(of write: OnlineWrite, _ id: Content.ID) async throws(DomainError) -> UndoneWrite {
        let before = try write.before.map { fields throws(DomainError) in try Content(fields: fields) }
        switch (write.operation, before) {
        case (.create, _): try await repository.delete(id, basedOn: write.version)
        case (.patch, let before?): _ = try await repository.update(id, to: before, basedOn: write.version)
        case (.delete, let before?):
            let made = try await repository.create(before)
            return write.undone(.createdAgain(id: made.id.rawValue))
        case (_, nil): throw .notFound("What \(write.name) replaced was not kept, so it cannot be undone.")
        }
        return write.undone(.inverseSent)
    }
}

extension EntityRepository {
    /// Whether a write was refused because the entity has another version, or is gone.
    fileprivate func isOther(_ id: Content.ID, than version: Int, after error: DomainError) async -> Bool {
        switch error.kind {
        case .notFound: return true
        // A value that another entity has, and other entities that name this one, are conflicts too.
        case .conflict:
            do throws(DomainError) { return try await get(id, .mustAsk).value.version != version } catch {
                return error.kind == .notFound
            }
        default: return false
        }
    }
}

extension OnlineWrite {
    /// The same at each try. A version is made once.
    fileprivate var inverseKey: String { "undo-\(collection)-\(entityId)-\(version)" }

    fileprivate func undone(_ outcome: UndoneWrite.Outcome) -> UndoneWrite {
        UndoneWrite(operation, collection, entityId, outcome: outcome)
    }
}
