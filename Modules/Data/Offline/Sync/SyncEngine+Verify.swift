import FoundationEssentials
import GRDB
import Logging
public import StrataDomain

extension SyncEngine {
    /// Compares what is stored here with the server's digest and with itself, and repairs rows that another program
    /// removed, added or changed. Unsynchronised writes are kept.
    ///
    /// A run does it by itself while the store is small (`Settings.verifiedRows`). Reads every row once.
    ///
    /// - Returns: The number of repaired rows.
    /// - Throws: What `sync` throws.
    public func verify() async throws(DomainError) -> Int {
        let lease = try await lock()
        defer { withExtendedLifetime(lease) {} }
        var report = SyncReport()
        let upTo = try await remote.pull(&report)
        return try await verify(upTo: upTo)
    }

    /// - Parameter upTo: The version up to which everything was just fetched; `nil` from a server that does not tell.
    func verify(upTo: Int?) async throws(DomainError) -> Int {
        var repaired = 0
        if let upTo {
            do { repaired += try await remote.compare(upTo: upTo) } catch let error as NetworkError {
                // A server without a digest is no error: the run itself is done.
                log.debug("Not compared with the server.", metadata: ["reason": "\(error)"])
            } catch { throw DomainError(error) }
        }
        repaired += try await access { access in
            try access.showHidden()
            return try access.repairRows()
        }
        if repaired > 0 {
            log.warning("Rows were changed by another program.", metadata: ["repaired": "\(repaired)"])
        }
        return repaired
    }

    func isWorthVerifying() async throws(DomainError) -> Bool {
        guard settings.verifiedRows > 0 else { return false }
        let limit = settings.verifiedRows
        return try await database.read { db in
            let sql = "SELECT COUNT(*) FROM (SELECT 1 FROM base_row LIMIT ?)"
            return try Int.fetchOne(db.cachedStatement(sql: sql), arguments: [limit + 1]) ?? 0 <= limit
        }
    }
}
