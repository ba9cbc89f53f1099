import Crypto
import FoundationEssentials
import Logging
import StrataDomain

/// Applies one mutation exactly once: the result is stored with the effect, and a repetition returns it.
///
/// The row of a conflict is not stored with its result, so that the results of a user stay small; a repetition reads it again.
struct MutationRunner: Sendable {
    let collections: [String: any SyncedCollection]
    let reader: ChangesReader
    let logger: Logger
    /// Where writers run side by side: what was read before the transaction. Default: nothing.
    var known: KnownMutations?

    /// The outcome of a mutation. Unless it is applied, its effect is rolled back.
    enum Outcome {
        case applied(version: Int)
        case conflict
        /// Rejected for good.
        case rejected(Problem)
        /// Rejected because of a server that is too old or defective. The result is not stored, so the client may send the
        /// mutation again.
        case rejectedTransiently(Problem)
    }

    /// A result that needs no attempt.
    struct Settled {
        var result: MutationResult
        /// Whether an earlier batch stored it.
        var isRepeated = false
    }

    /// The result of `mutation` without trying it: its stored result, or the rejection of an invalid one.
    ///
    /// - Returns: `nil` for a mutation to try.
    func settled(
        _ mutation: Mutation, by principal: Principal, in reader: any StoreReader
    ) throws -> Settled? {
        if let problem = MutationValidation.problem(of: mutation) {
            return Settled(result: .rejected(mutation, problem))
        }
        guard let stored = try stored(mutation.id, of: principal, in: reader) else { return nil }
        guard try stored.payloadHash == Self.hash(mutation) else {
            return Settled(result: .rejected(mutation, MutationValidation.reused(mutation)))
        }
        var result = try WireJSON.decode(MutationResult.self, from: Data(stored.result.utf8))
        if result.status == .conflict { result.current = try current(of: mutation, for: principal, in: reader) }
        return Settled(result: result, isRepeated: true)
    }

    private func stored(
        _ id: Mutation.ID, of principal: Principal, in reader: any StoreReader
    ) throws -> KnownMutations.Stored? {
        if let known = known?.result(of: id) { return known }
        return try reader.row(
            "SELECT payload_hash, result FROM sync_mutation WHERE owner = \(principal.key) AND id = \(id)"
        ).map { row in
            KnownMutations.Stored(payloadHash: try row.text("payload_hash"), result: try row.text("result"))
        }
    }

    /// The row that a mutation is in conflict with; `nil` if the caller does not see it.
    private func current(
        of mutation: Mutation, for principal: Principal, in store: any StoreReader
    ) throws -> SyncChange? {
        try collections[mutation.collection].flatMap { collection in
            try reader.current(collection, mutation.entityId, for: principal, in: store)
        }
    }

    /// Whether a mutation of an earlier batch is applied.
    func isApplied(_ id: Mutation.ID, of principal: Principal, in reader: any StoreReader) throws -> Bool {
        guard let stored = try stored(id, of: principal, in: reader) else { return false }
        return try WireJSON.decode(MutationResult.self, from: Data(stored.result.utf8)).status == .applied
    }

    /// Tries `mutation` in a savepoint.
    ///
    /// - Throws: `StoreError.unavailable` or `.full`, which roll the transaction back.
    func attempt(
        _ mutation: Mutation, by principal: Principal, at now: Date, in transaction: any StoreTransaction
    ) throws -> Outcome {
        guard let collection = collections[mutation.collection] else {
            return .rejectedTransiently(MutationValidation.unknownCollection(mutation))
        }
        if let problem = MutationValidation.unknownFields(mutation, collection.fields) {
            return .rejectedTransiently(problem)
        }
        do {
            try principal.require(mutation.operation.action, mutation.collection)
            let version = try transaction.attempt {
                try collection.apply(mutation, by: principal, at: now, in: transaction)
            }
            return .applied(version: version)
        } catch is SyncConflictError {
            return .conflict
        } catch let error as StoreError where error.endsTransaction {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as StaleRead {
            throw error
        } catch {
            let failure = ServiceError(mapping: error)
            if (400..<500).contains(failure.problem.status) { return .rejected(failure.problem) }
            logger.error(
                "a mutation failed unexpectedly",
                metadata: ["mutation": "\(mutation.id)", "error": "\(String(reflecting: error))"])
            return .rejectedTransiently(ServiceError.unexpected.problem)
        }
    }

    /// The result of `outcome`, stored unless it is transient.
    func settle(
        _ mutation: Mutation, _ outcome: Outcome, by principal: Principal, at now: Date,
        in transaction: any StoreTransaction
    ) throws -> MutationResult {
        var result: MutationResult
        switch outcome {
        case .applied(let version): result = MutationResult(id: mutation.id, status: .applied, version: version)
        case .conflict: result = MutationResult(id: mutation.id, status: .conflict)
        case .rejected(let problem): result = .rejected(mutation, problem)
        case .rejectedTransiently(let problem): return .rejected(mutation, problem)
        }
        let text = String(decoding: try WireJSON.encode(result), as: UTF8.self)
        try transaction.executeLater(
            """
            INSERT INTO sync_mutation (owner, id, payload_hash, result, at)
            VALUES (\(principal.key), \(mutation.id), \(try Self.hash(mutation)), \(text), \(now))
            """, orThrow: transaction.concurrentWriters == nil ? nil : StaleRead())
        if case .conflict = outcome { result.current = try current(of: mutation, for: principal, in: transaction) }
        return result
    }

    private static func hash(_ mutation: Mutation) throws -> String {
        Data(SHA256.hash(data: try WireJSON.encode(mutation))).base64EncodedString()
    }
}

extension MutationResult {
    static func rejected(_ mutation: Mutation, _ problem: Problem) -> MutationResult {
        MutationResult(id: mutation.id, status: .rejected, error: problem)
    }

    static func deferred(_ mutation: Mutation, _ detail: String) -> MutationResult {
        MutationResult(
            id: mutation.id, status: .deferred,
            error: Problem(title: "Not yet", status: 409, detail: detail, code: SyncCode.notYet))
    }

    /// Whether the same mutation may get another result when it is sent again.
    var isTransient: Bool {
        status == .deferred
            || status == .rejected
                && ((error?.status ?? 0) >= 500
                    || [SyncCode.unknownCollection, SyncCode.unknownField].contains(error?.code ?? ""))
    }
}

extension Mutation.Operation {
    /// What a role must allow for it.
    fileprivate var action: RowAction {
        switch self {
        case .create: .create
        case .patch: .update
        case .delete: .delete
        }
    }
}
