import StrataConcurrency
public import StrataService

/// A store whose writes wait for each other after their first statement, so that their transactions overlap.
///
/// Two replicas of a test have one `Meeting`. Each reads before the other writes, so an engine that does not prevent an anomaly
/// shows it.
public struct OverlappingStore: Store {
    private let base: any Store
    private let meeting: Meeting

    /// A store over `base`, whose writes meet at `meeting`.
    public init(_ base: any Store, at meeting: Meeting) {
        self.base = base
        self.meeting = meeting
    }

    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Result
    ) async throws -> Result {
        try await base.read(body)
    }

    @discardableResult public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Result
    ) async throws -> Result {
        try await base.write { transaction in try body(OverlappingTransaction(transaction, at: meeting)) }
    }

    public func migrate(_ migrations: [StoreMigration]) async throws { try await base.migrate(migrations) }
    public func inspect() async throws { try await base.inspect() }
    public func followCommits(_ body: @escaping @Sendable () -> Void) async { await base.followCommits(body) }
    public var isMaintainer: Bool { base.isMaintainer }
    public var samples: [MetricSample] { base.samples }
    public var hasConcurrentWriters: Bool { base.hasConcurrentWriters }
    public var notices: [String] { base.notices }
}

/// Attends the meeting after its first statement.
private final class OverlappingTransaction: StoreTransaction {
    private let base: any StoreTransaction
    private let meeting: Meeting
    private var hasMet = false

    init(_ base: any StoreTransaction, at meeting: Meeting) {
        self.base = base
        self.meeting = meeting
    }

    func forEachRow(of statement: Statement, _ body: (StoreRow) throws -> Bool) throws {
        try base.forEachRow(of: statement, body)
        meet()
    }

    func execute(_ statement: Statement) throws -> Int {
        let changed = try base.execute(statement)
        meet()
        return changed
    }

    func executeLater(_ statement: Statement, orThrow violation: (any Error)?) throws {
        try base.executeLater(statement, orThrow: violation)
    }

    func announce() throws { try base.announce() }
    var changes: ChangeCounter? { base.changes }
    var concurrentWriters: ConcurrentWriters? { base.concurrentWriters }

    private func meet() {
        guard !hasMet else { return }
        hasMet = true
        meeting.attend()
    }
}
