import Crypto
import FoundationEssentials
import Logging
import StrataDomain

/// Puts one mutation into effect, exactly once: the result is stored with the effect and repeated word for word.
struct MutationRunner: Sendable {
    let collections: [String: any SyncedCollection]
    let reader: ChangesReader
    let logger: Logger

    /// What trying a mutation came to. Its effect is undone unless it was applied.
    enum Outcome {
        case applied(version: Int)
        case conflict
        /// Refused for good.
        case refused(Problem)
        /// Refused by what this build lacks, or by a defect of ours: not stored, so that the mutation can be sent again.
        case refusedForNow(Problem)
    }

    /// What is known of `mutation` before it is tried: its stored result, or that it cannot be stored.
    ///
    /// - Returns: `nil` for one that has not been settled.
    func settled(
        _ mutation: Mutation, by principal: Principal, in reader: any StoreReader
    ) throws -> MutationResult? {
        if let problem = MutationFlaws.flaw(of: mutation) { return .rejected(mutation, problem) }
        guard
            let row = try reader.row(
                "SELECT payload_hash, result FROM sync_mutation WHERE owner = \(principal.key) AND id = \(mutation.id)")
        else { return nil }
        guard try row.text("payload_hash") == Self.hash(mutation) else {
            return .rejected(mutation, MutationFlaws.reused(mutation))
        }
        return try WireJSON.decode(MutationResult.self, from: Data(try row.text("result").utf8))
    }

    /// Whether a mutation of an earlier call is in effect.
    func isInEffect(_ id: Mutation.ID, of principal: Principal, in reader: any StoreReader) throws -> Bool {
        let row = try reader.row("SELECT result FROM sync_mutation WHERE owner = \(principal.key) AND id = \(id)")
        guard let text = try row?.text("result") else { return false }
        return try WireJSON.decode(MutationResult.self, from: Data(text.utf8)).status == .applied
    }

    /// Tries `mutation` in a savepoint of its own.
    ///
    /// - Throws: `StoreError.unavailable`; then nothing of the transaction counts.
    func attempt(
        _ mutation: Mutation, by principal: Principal, at now: Date, in transaction: any StoreTransaction
    ) throws -> Outcome {
        guard let collection = collections[mutation.collection] else {
            return .refusedForNow(MutationFlaws.unknownCollection(mutation))
        }
        if let problem = MutationFlaws.unknownFields(mutation, collection.fields) { return .refusedForNow(problem) }
        do {
            let version = try transaction.attempt {
                try collection.apply(mutation, by: principal, at: now, in: transaction)
            }
            return .applied(version: version)
        } catch is SyncConflictError {
            return .conflict
        } catch StoreError.unavailable(let reason) {
            throw StoreError.unavailable(reason)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let failure = ServiceError(answering: error)
            if (400..<500).contains(failure.problem.status) { return .refused(failure.problem) }
            logger.error(
                "a mutation failed unexpectedly",
                metadata: ["mutation": "\(mutation.id)", "error": "\(String(reflecting: error))"])
            return .refusedForNow(ServiceError.unexpected.problem)
        }
    }

    /// The result of `outcome`, stored if it stays.
    func settle(
        _ mutation: Mutation, _ outcome: Outcome, by principal: Principal, at now: Date,
        in transaction: any StoreTransaction
    ) throws -> MutationResult {
        let result: MutationResult
        switch outcome {
        case .applied(let version): result = MutationResult(id: mutation.id, status: .applied, version: version)
        case .conflict:
            let current = try collections[mutation.collection].flatMap { collection in
                try reader.current(collection, mutation.entityId, in: transaction)
            }
            result = MutationResult(id: mutation.id, status: .conflict, current: current)
        case .refused(let problem): result = .rejected(mutation, problem)
        case .refusedForNow(let problem): return .rejected(mutation, problem)
        }
        let text = String(decoding: try WireJSON.encode(result), as: UTF8.self)
        try transaction.execute(
            """
            INSERT INTO sync_mutation (owner, id, payload_hash, result, at)
            VALUES (\(principal.key), \(mutation.id), \(try Self.hash(mutation)), \(text), \(now))
            """)
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

    /// Whether the same mutation may be answered otherwise when it comes again.
    var isPassing: Bool {
        status == .deferred
            || status == .rejected
                && ((error?.status ?? 0) >= 500
                    || [SyncCode.unknownCollection, SyncCode.unknownField].contains(error?.code ?? ""))
    }
}
