import FoundationEssentials
import GRDB
import StrataConcurrency
import StrataDomain
import StrataSystem

/// Generations and leases, which the processes that share a file see.
extension DiskTier {
    // MARK: - Generations

    /// `nil` where the file cannot be read.
    func generation(of scopes: GenerationScopes) -> Int64? {
        file.read { try SharedGeneration.number(of: scopes, in: $0) }
    }

    /// Makes work void that depends on `scopes` and began before, and does `body` in the same transaction.
    func invalidate(_ scopes: GenerationScopes, _ body: @escaping (Database) throws -> Void) {
        removing { database in
            let statement = try database.cachedStatement(
                sql: """
                    INSERT INTO generation VALUES (?, 1) ON CONFLICT (scope) DO UPDATE SET number = number + 1
                    """)
            for scope in scopes.numbers { try statement.execute(arguments: [scope]) }
            try body(database)
        }
    }

    package func invalidate(_ scopes: GenerationScopes) { invalidate(scopes) { _ in } }

    /// Removes the records with a tag, and makes work void that depends on it and began before.
    package func removeAll(tagged tag: String) {
        invalidate(GenerationScopes([tag])) { try RecordTable.removeAll(tagged: tag, in: $0) }
    }

    // MARK: - Leases

    /// A lease ends by itself after this many seconds.
    private static let leaseSeconds = 60.0

    /// Takes the lease of `name`. Callers of one owner share it: among them a single flight decides. Called on the queue.
    ///
    /// - Returns: `false` if another owner has it. A lease ends with its process, also when that is stopped. If the disk cannot be
    ///   used, every caller gets the lease.
    func acquireLease(_ name: KeyDigest) -> Bool {
        guard isUseful else { return true }
        if file.read({ try isLeased(name, in: $0) }) == true {
            return false
        }
        let isAcquired = write { database in
            if try isLeased(name, in: database) { return false }
            let process = RunningProcess.current
            let until = clock.now.timeIntervalSinceReferenceDate + Self.leaseSeconds
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO lease VALUES (?, ?, ?, ?, ?)")
                .execute(arguments: [name.bytes, owner, process.id, process.start, until])
            return true
        }
        if isAcquired == true { leaseHolders.withLock { $0[name, default: 0] += 1 } }
        return isAcquired ?? true
    }

    /// Gives back what one `acquireLease` took. Called on the queue.
    ///
    /// The lease ends with its last holder: a leader that releases late does not end the lease of the next one.
    func releaseLease(_ name: KeyDigest) {
        let isLast = leaseHolders.withLock { holders in
            guard let count = holders[name] else { return false }
            holders[name] = count > 1 ? count - 1 : nil
            return count == 1
        }
        guard isLast else { return }
        _ = write { [owner] database in
            try database.cachedStatement(sql: "DELETE FROM lease WHERE name = ? AND owner = ?")
                .execute(arguments: [name.bytes, owner])
        }
    }

    /// Whether another owner has the lease.
    private func isLeased(_ name: KeyDigest, in database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT process, start, until FROM lease WHERE name = ? AND owner <> ?")
        guard let row = try Row.fetchOne(statement, arguments: [name.bytes, owner]),
            let process = Int32.fromDatabaseValue(row[0]), let start = Int64.fromDatabaseValue(row[1]),
            let until = Double.fromDatabaseValue(row[2])
        else { return false }
        // A clock that was set back does not make a lease longer. The time is read after the row: a write may have waited for
        // the process that acquired the lease, and would take a lease of its future for one of a wrong clock.
        let left = until - clock.now.timeIntervalSinceReferenceDate
        return left > 0 && left <= Self.leaseSeconds && RunningProcess(id: process, start: start).isActive
    }
}

/// Names whose invalidation makes a fetch void. Each uses one of 65,536 counters. Two names may share a counter; then some
/// fetches are void without need.
package struct GenerationScopes: Sendable {
    /// Of the counter that is part of each generation.
    static let everything = GenerationScopes([])

    let numbers: Set<Int>

    package init(_ names: some Sequence<String>) {
        numbers = Set(names.map { 1 + Int(Checksum(Data($0.utf8)).value & 0xFFFF) })
    }

    /// With the counter for everything.
    var withEverything: Set<Int> { numbers.union([0]) }
}

/// The generation that the file must still have for a value to be stored.
package struct SharedGeneration: Sendable {
    let scopes: GenerationScopes
    /// `nil` where it could not be read when the work began; such work is void.
    let number: Int64?

    func holds(in database: Database) throws -> Bool { try number == Self.number(of: scopes, in: database) }

    /// The sum of the counters: they only grow.
    static func number(of scopes: GenerationScopes, in database: Database) throws -> Int64 {
        let statement = try database.cachedStatement(sql: "SELECT number FROM generation WHERE scope = ?")
        return try scopes.withEverything.reduce(0) { try $0 &+ (Int64.fetchOne(statement, arguments: [$1]) ?? 0) }
    }
}
