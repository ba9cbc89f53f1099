import FoundationEssentials
import GRDB

/// Takes over from a damaged file what can still be read and is whole.
///
/// Damage of one page costs what lies on it. The rows are walked by their numbers, which needs no index; past a page that
/// cannot be read the walk begins again, further on each time.
struct Salvage {
    /// Bytes taken over at most.
    let limit: Int

    /// - Parameters:
    ///   - old: Opened for reads.
    ///   - new: In a transaction, without records.
    func copy(from old: Database, to new: Database) throws {
        var taken = 0
        var (next, jump): (Int64, Int64) = (0, 1)
        let last = (try? Int64.fetchOne(old, sql: "SELECT max(id) FROM entry")) ?? Int64(1) << 40
        while next <= last, taken < limit {
            do {
                guard let row = try Self.row(from: next, in: old), let id: Int64 = row["id"] else { return }
                (next, jump) = (id + 1, 1)
                guard let (key, record) = Self.record(row) else { continue }
                taken += record.head.count + record.body.count
                guard taken < limit else { return }
                try EntrySQL.upsert(record, for: key, in: new)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
                let (further, overflow) = next.addingReportingOverflow(jump)
                guard !overflow else { return }
                (next, jump) = (further, jump < 1 << 40 ? jump * 2 : jump)
            }
        }
    }

    private static func row(from id: Int64, in database: Database) throws -> Row? {
        let sql =
            "SELECT id, key, item, keptUntil, headSum, bodySum, head, body FROM entry WHERE id >= ? ORDER BY id LIMIT 1"
        return try Row.fetchOne(try database.cachedStatement(sql: sql), arguments: [id])
    }

    private static func record(_ row: Row) -> (KeyDigest, DiskRecord)? {
        func value<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
            Value.fromDatabaseValue(row[column] as DatabaseValue)
        }
        guard let key: Data = value("key"), let item: Data = value("item"), let keptUntil: Double = value("keptUntil"),
            let headSum: Int64 = value("headSum"), let bodySum: Int64 = value("bodySum"),
            let packed: Data = value("head"), let body: Data = value("body"),
            let record = DiskRecord(
                item: item, packed: packed, body: body, keptUntil: Date(timeIntervalSinceReferenceDate: keptUntil))
        else { return nil }
        let stamp = DiskRecord.Stamp(head: UInt64(bitPattern: headSum), body: UInt64(bitPattern: bodySum))
        return record.stamp(for: KeyDigest(bytes: key), packed: packed) == stamp ? (KeyDigest(bytes: key), record) : nil
    }
}
