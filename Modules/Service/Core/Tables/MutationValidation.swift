import StrataDomain

/// Checks of a mutation that do not depend on its collection.
enum MutationValidation {
    /// Why a mutation is malformed; `nil` for a valid one.
    static func problem(of mutation: Mutation) -> Problem? {
        guard isId(mutation.id) else { return problem("id", "must be 1 to 64 visible ASCII characters") }
        guard mutation.clientSeq > 0 else { return problem("client_seq", "must be 1 or more") }
        guard Identifier<String>(parameter: mutation.entityId) != nil else {
            return problem("entity_id", "must be \(Identifier<String>.parameterKind)")
        }
        if let group = mutation.group, !isId(group) {
            return problem("group", "must be 1 to 64 visible ASCII characters")
        }
        if let needed = mutation.dependsOn {
            guard needed.count <= MutationBatch.limit, needed.allSatisfy(isId) else {
                return problem("depends_on", "must be at most \(MutationBatch.limit) ids of mutations")
            }
            guard !needed.contains(mutation.id) else {
                return problem("depends_on", "must not name the mutation itself")
            }
        }
        return nil
    }

    static func reused(_ mutation: Mutation) -> Problem {
        Problem(
            title: "Mutation id used before", status: 422,
            detail: "The id '\(mutation.id)' belongs to another mutation; give this one an id of its own.",
            code: SyncCode.mutationIdReused)
    }

    static func unknownCollection(_ mutation: Mutation) -> Problem {
        Problem(
            title: "Unknown collection", status: 404,
            detail: "This server has no collection '\(mutation.collection.prefix(100))'; a newer server may.",
            code: SyncCode.unknownCollection)
    }

    /// - Parameter known: `nil` allows any field.
    static func unknownFields(_ mutation: Mutation, _ known: Set<String>?) -> Problem? {
        guard let known else { return nil }
        let unknown = mutation.fields.keys.filter { !known.contains($0) && !serverFields.contains($0) }.sorted()
        guard !unknown.isEmpty else { return nil }
        return Problem(
            title: "Unknown field", status: 422,
            detail: "This server does not know every field of the mutation; a newer server may.",
            code: SyncCode.unknownField,
            errors: unknown.prefix(20).map { name in
                FieldError(field: "fields.\(name.prefix(100))", message: "is unknown")
            })
    }

    /// Fields that the server sets. A client may send them back; their values are ignored.
    static let serverFields: Set<String> = ["id", "version", "updated_at", "author"]

    private static func isId(_ text: String) -> Bool { IdempotencyClaim.isKey(text) && text.utf8.count <= 64 }

    private static func problem(_ field: String, _ message: String) -> Problem {
        Problem(
            title: "Rejected input", status: 422, detail: "The mutation cannot be stored.",
            code: SyncCode.invalidMutation, errors: [FieldError(field: field, message: message)])
    }
}
