import FoundationEssentials
import StrataDomain

/// Count and hash of the live rows in each bucket of each collection, updated by every write. The digest of a million rows
/// reads a few hundred.
enum DigestTable {
    static let migration = StoreMigration(
        "sync-3-digest",
        "ALTER TABLE sync_change ADD COLUMN bucket BIGINT NOT NULL DEFAULT -1",
        // Finds rows that are not counted yet: older ones, and those that a feature's adoption adds.
        "CREATE INDEX sync_change_uncounted ON sync_change (collection, entity_id) WHERE bucket < 0",
        // The two halves of the 64-bit sum, because engines differ on overflow.
        """
        CREATE TABLE sync_digest (
            collection TEXT NOT NULL, bucket BIGINT NOT NULL, count BIGINT NOT NULL, low BIGINT NOT NULL,
            high BIGINT NOT NULL, PRIMARY KEY (collection, bucket))
        """
    )

    /// Where writers run side by side, each write adds its difference as a row, because two writers of one bucket would wait for
    /// each other. `fold` adds the rows to `sync_digest`.
    static let changesMigration = StoreMigration(
        "sync-8-digest-changes",
        """
        CREATE TABLE sync_digest_change (
            version BIGINT NOT NULL, collection TEXT NOT NULL, bucket BIGINT NOT NULL, count BIGINT NOT NULL,
            low BIGINT NOT NULL, high BIGINT NOT NULL, PRIMARY KEY (version, collection))
        """
    )

    /// The change of a bucket by a write.
    struct Difference {
        var count = 0
        var low = 0
        var high = 0

        mutating func insert(_ row: RowHash) { add(row, 1) }
        mutating func remove(_ row: RowHash) { add(row, -1) }

        private mutating func add(_ row: RowHash, _ sign: Int) {
            count += sign
            low += sign * Int(row.value & 0xFFFF_FFFF)
            high += sign * Int(row.value >> 32)
        }
    }

    /// Adds to the digest of all rows and to that of the rows of `owner`.
    static func add(
        _ difference: Difference, _ collection: String, owner: String?, bucket: Int,
        in transaction: any StoreTransaction
    ) throws {
        try add(difference, name(collection, of: nil), bucket, in: transaction)
        if let owner { try add(difference, name(collection, of: owner), bucket, in: transaction) }
    }

    /// As `add`, for the change with `version`, without a row that other writers write.
    static func addLater(
        _ difference: Difference, _ collection: String, owner: String?, bucket: Int, at version: Int,
        in transaction: any StoreTransaction
    ) throws {
        func values(_ owner: String?) -> Statement {
            """
            (\(version), \(name(collection, of: owner)), \(bucket), \(difference.count), \(difference.low), \(difference.high))
            """
        }
        let own: Statement = owner.map { ", \(values($0))" } ?? ""
        try transaction.executeLater(
            """
            INSERT INTO sync_digest_change (version, collection, bucket, count, low, high) VALUES \(values(nil))\(own)
            """)
    }

    /// Adds the differences up to `version` to the digest.
    static func fold(upTo version: Int, in transaction: any StoreTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO sync_digest (collection, bucket, count, low, high)
            SELECT collection, bucket, CAST(SUM(count) AS BIGINT), CAST(SUM(low) AS BIGINT), CAST(SUM(high) AS BIGINT)
            FROM sync_digest_change WHERE version <= \(version) GROUP BY collection, bucket
            ON CONFLICT (collection, bucket) DO UPDATE SET count = sync_digest.count + excluded.count,
                low = sync_digest.low + excluded.low, high = sync_digest.high + excluded.high
            """)
        try transaction.execute("DELETE FROM sync_digest_change WHERE version <= \(version)")
    }

    /// The value of the column `collection`; names of collections have no space.
    private static func name(_ collection: String, of owner: String?) -> String {
        owner.map { "\(collection) \($0)" } ?? collection
    }

    private static func add(
        _ difference: Difference, _ collection: String, _ bucket: Int, in transaction: any StoreTransaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO sync_digest (collection, bucket, count, low, high)
            VALUES (\(collection), \(bucket), \(difference.count), \(difference.low), \(difference.high))
            ON CONFLICT (collection, bucket) DO UPDATE SET count = sync_digest.count + excluded.count,
                low = sync_digest.low + excluded.low, high = sync_digest.high + excluded.high
            """)
    }

    /// - Parameters:
    ///   - owners: The collections of which only the rows of some authors or spaces count, each with those. Default: none.
    ///   - version: Where writers run side by side: the digest has the changes up to it.
    static func digest(
        of collections: [String], owners: [String: [String]] = [:], upTo version: Int, in reader: any StoreReader
    ) throws -> [CollectionDigest] {
        let parts = collections.map { collection in
            owners[collection].map { $0.map { name(collection, of: $0) } } ?? [collection]
        }
        let names = parts.flatMap(\.self)
        let rows = try reader.rows(
            reader.concurrentWriters == nil
                ? """
                SELECT collection, bucket, count, low, high FROM sync_digest
                WHERE count > 0 AND collection IN (\(list: names)) ORDER BY collection, bucket
                """
                : """
                SELECT collection, bucket, CAST(SUM(count) AS BIGINT) AS count, CAST(SUM(low) AS BIGINT) AS low,
                    CAST(SUM(high) AS BIGINT) AS high
                FROM (
                    SELECT collection, bucket, count, low, high FROM sync_digest WHERE collection IN (\(list: names))
                    UNION ALL
                    SELECT collection, bucket, count, low, high FROM sync_digest_change
                    WHERE version <= \(version) AND collection IN (\(list: names))) AS parts
                GROUP BY collection, bucket HAVING SUM(count) > 0 ORDER BY collection, bucket
                """)
        var digests: [String: [Int: RowDigest]] = [:]
        for row in rows {
            let low = UInt64(bitPattern: Int64(try row.int("low")))
            let high = UInt64(bitPattern: Int64(try row.int("high")))
            let digest = RowDigest(count: try row.int("count"), sum: low &+ high << 32)
            digests[try row.text("collection"), default: [:]][try row.int("bucket")] = digest
        }
        return zip(collections, parts).map { collection, parts in
            let buckets = parts.reduce(into: [Int: RowDigest]()) { sum, part in
                sum.merge(digests[part] ?? [:]) { RowDigest(count: $0.count + $1.count, sum: $0.sum &+ $1.sum) }
            }
            return CollectionDigest(
                collection: collection,
                buckets: buckets.sorted { $0.key < $1.key }.map { BucketDigest(bucket: $0.key, rows: $0.value) })
        }
    }

    /// Counts the rows that are not counted yet, 2000 in a transaction, so that other writers run in between.
    static func complete(_ store: any Store) async throws {
        while try await store.write({ try completeSome(in: $0) }) {}
    }

    /// - Returns: Whether more may remain.
    private static func completeSome(in transaction: any StoreTransaction) throws -> Bool {
        let limit = 2000
        let rows = try transaction.rows(
            """
            SELECT collection, entity_id, version, deleted, owner
            FROM sync_change WHERE bucket < 0
            ORDER BY collection, entity_id LIMIT \(limit)
            """)
        for row in rows {
            let (collection, id) = (try row.text("collection"), try row.text("entity_id"))
            let hash = RowHash(id: id, version: try row.int("version"))
            try transaction.execute(
                """
                UPDATE sync_change SET bucket = \(hash.bucket)
                WHERE collection = \(collection) AND entity_id = \(id)
                """)
            guard try !row.bool("deleted") else { continue }
            var difference = Difference()
            difference.insert(hash)
            let owner = try row.textIfAny("owner")
            if transaction.concurrentWriters == nil {
                try add(difference, collection, owner: owner, bucket: hash.bucket, in: transaction)
            } else {
                try addLater(
                    difference, collection, owner: owner, bucket: hash.bucket, at: try row.int("version"),
                    in: transaction
                )
            }
        }
        return rows.count == limit
    }
}
