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

    /// - Parameter owners: The collections of which only the rows of an author count, each with the author. Default:
    ///   none.
    static func digest(
        of collections: [String], owners: [String: String] = [:], in reader: any StoreReader
    ) throws -> [CollectionDigest] {
        let names = collections.map { name($0, of: owners[$0]) }
        let rows = try reader.rows(
            """
            SELECT collection, bucket, count, low, high FROM sync_digest
            WHERE count > 0 AND collection IN (\(list: names)) ORDER BY collection, bucket
            """)
        var buckets: [String: [BucketDigest]] = [:]
        for row in rows {
            let low = UInt64(bitPattern: Int64(try row.int("low")))
            let high = UInt64(bitPattern: Int64(try row.int("high")))
            let digest = RowDigest(count: try row.int("count"), sum: low &+ high << 32)
            buckets[try row.text("collection"), default: []].append(
                BucketDigest(bucket: try row.int("bucket"), rows: digest))
        }
        return zip(collections, names).map { CollectionDigest(collection: $0, buckets: buckets[$1] ?? []) }
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
            SELECT collection, entity_id, version, deleted, owner FROM sync_change WHERE bucket < 0
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
            try add(
                difference, collection, owner: try row.textIfAny("owner"), bucket: hash.bucket, in: transaction)
        }
        return rows.count == limit
    }
}
