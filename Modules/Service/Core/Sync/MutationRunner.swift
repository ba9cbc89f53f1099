import Crypto
import FoundationEssentials
import Logging
import StrataDomain

/// Puts mutations into effect, each exactly once: the result is stored with the effect and repeated word for word.
struct MutationRunner: Sendable {
    let collections: [String: any SyncedCollection]
    let reader: ChangesReader
    let logger: Logger

    /// The result of `mutation`, by `principal`.
    ///
    /// What a mutation did is undone when it is refused; the refusal is stored all the same.
    /// - Throws: `StoreError.unavailable`; then nothing of the transaction counts.
    func result(
        of mutation: Mutation, by principal: Principal, at now: Date, in transaction: any StoreTransaction
    ) throws -> MutationResult {
        if let problem = Self.flaw(mutation) { return .rejected(mutation, problem) }
        let hash = Data(SHA256.hash(data: try WireJSON.encode(mutation))).base64EncodedString()
        if let row = try transaction.row(
            "SELECT payload_hash, result FROM sync_mutation WHERE owner = \(principal.key) AND id = \(mutation.id)")
        {
            guard try row.text("payload_hash") == hash else { return .rejected(mutation, Self.reused(mutation)) }
            return try WireJSON.decode(MutationResult.self, from: Data(try row.text("result").utf8))
        }
        guard let result = try applied(mutation, by: principal, at: now, in: transaction) else {
            // A defect here, not in the mutation: not stored, so that it can be sent again after a repair.
            return .rejected(mutation, ServiceError.unexpected.problem)
        }
        let text = String(decoding: try WireJSON.encode(result), as: UTF8.self)
        try transaction.execute(
            """
            INSERT INTO sync_mutation (owner, id, payload_hash, result, at)
            VALUES (\(principal.key), \(mutation.id), \(hash), \(text), \(now))
            """)
        return result
    }

    /// - Returns: `nil` after an unexpected error, which is logged.
    private func applied(
        _ mutation: Mutation, by principal: Principal, at now: Date, in transaction: any StoreTransaction
    ) throws -> MutationResult? {
        guard let collection = collections[mutation.collection] else {
            return .rejected(
                mutation,
                Problem(
                    title: "Unknown collection", status: 404,
                    detail: "This server has no collection '\(mutation.collection)'.", code: "unknown_collection"))
        }
        do {
            let version = try transaction.attempt {
                try collection.apply(mutation, by: principal, at: now, in: transaction)
            }
            return MutationResult(id: mutation.id, status: .applied, version: version)
        } catch is SyncConflictError {
            let current = try reader.current(collection, mutation.entityId, in: transaction)
            return MutationResult(id: mutation.id, status: .conflict, current: current)
        } catch StoreError.unavailable(let reason) {
            throw StoreError.unavailable(reason)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let failure = ServiceError(answering: error)
            guard (400..<500).contains(failure.problem.status) else {
                logger.error(
                    "a mutation failed unexpectedly",
                    metadata: ["mutation": "\(mutation.id)", "error": "\(String(reflecting: error))"])
                return nil
            }
            return .rejected(mutation, failure.problem)
        }
    }

    /// Why a mutation cannot even be stored.
    private static func flaw(_ mutation: Mutation) -> Problem? {
        func problem(_ field: String, _ message: String) -> Problem {
            Problem(
                title: "Rejected input", status: 422, detail: "The mutation cannot be stored.",
                code: "invalid_mutation", errors: [FieldError(field: field, message: message)])
        }
        guard IdempotencyClaim.isKey(mutation.id), mutation.id.utf8.count <= 64 else {
            return problem("id", "must be 1 to 64 visible ASCII characters")
        }
        guard (1...200).contains(mutation.entityId.utf8.count) else {
            return problem("entity_id", "must be 1 to 200 bytes long")
        }
        return nil
    }

    private static func reused(_ mutation: Mutation) -> Problem {
        Problem(
            title: "Mutation id used before", status: 422,
            detail: "The id '\(mutation.id)' belongs to another mutation; give this one an id of its own.",
            code: "mutation_id_reused")
    }
}

extension MutationResult {
    fileprivate static func rejected(_ mutation: Mutation, _ problem: Problem) -> MutationResult {
        MutationResult(id: mutation.id, status: .rejected, error: problem)
    }
}
