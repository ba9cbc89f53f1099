/// A store that raises `signal` after each commit of `base`, and announces it to other replicas.
struct NotifyingStore: Store {
    let base: any Store
    let signal: CommitSignal

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try await base.read(body)
    }

    func read<Result: Sendable>(
        if condition: ReadCondition, _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try await base.read(if: condition, body)
    }

    @discardableResult func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        let result = try await base.write { transaction in
            let result = try body(transaction)
            try transaction.announce()
            return result
        }
        signal.raise()
        return result
    }

    func inspect() async throws { try await base.inspect() }
    func followCommits(_ body: @escaping @Sendable () -> Void) async { await base.followCommits(body) }
    var isMaintainer: Bool { base.isMaintainer }
    var samples: [MetricSample] { base.samples }
    var hasConcurrentWriters: Bool { base.hasConcurrentWriters }
    var notices: [String] { base.notices }
    func migrate(_ migrations: [StoreMigration]) async throws { try await base.migrate(migrations) }
}

extension Store {
    /// The same store, whose writes wake no long poll: for rows that no list and no synchronisation has.
    var quiet: any Store { (self as? NotifyingStore)?.base ?? self }
}
