import FoundationEssentials
import GRDB
import StrataDomain

extension StrataRemote {
    func compare(upTo: Int) async throws -> Int {
        let names = database.collections.keys.sorted()
        let digest = try await client.send(FetchDigest(collections: names.joined(separator: ",")))
        // The server has newer writes by now: the next run compares.
        guard digest.upTo == upTo else { return 0 }
        let theirs = Dictionary(digest.collections.map { ($0.collection, $0) }, uniquingKeysWith: { first, _ in first })
        var repaired = 0
        for name in names {
            let ours = try await access { try $0.digest(of: name) }
            // A digest knows ids and versions only: a row that cannot be shown may change without a new version.
            let hidden = try await database.read { try EntityAccess.hidden($0) }
                .filter { $0.collection == name }.prefix(Self.mostHidden).map { RowHash(id: $0.id, version: 0).bucket }
            for bucket in Set(Self.differing(ours, theirs[name]) + hidden).sorted() {
                let rows = try await snapshot(of: name, bucket: bucket)
                repaired += try await access { try $0.take(rows, of: name, bucket: bucket, upTo: upTo) }
            }
        }
        return repaired
    }

    /// Hidden rows of a collection that a run fetches again. More are of a newer program.
    private static let mostHidden = 4

    private static func differing(_ ours: CollectionDigest, _ theirs: CollectionDigest?) -> [Int] {
        guard ours.hash != theirs?.hash || ours.count != theirs?.count else { return [] }
        let known = Dictionary(ours.buckets.map { ($0.bucket, $0) }, uniquingKeysWith: { first, _ in first })
        let there = Dictionary((theirs?.buckets ?? []).map { ($0.bucket, $0) }, uniquingKeysWith: { first, _ in first })
        return Set(known.keys).union(there.keys).filter { known[$0] != there[$0] }.sorted()
    }

    /// The server's rows of one bucket.
    private func snapshot(of collection: String, bucket: Int) async throws -> [SyncChange] {
        try await client.stream(
            FetchSnapshot(collections: collection, bucket: bucket), options: CallOptions(deadline: .client)
        ) { _, pieces in
            var (cutter, rows, isComplete) = (SnapshotCutter(), [SyncChange](), false)
            for try await piece in pieces {
                cutter.append(piece)
                while let batch = try cutter.next() {
                    for line in batch.lines.split(separator: UInt8(ascii: "\n")) {
                        if case .row(let row) = try SnapshotLine(Data(line)) { rows.append(row) }
                    }
                    isComplete = batch.end != nil
                }
            }
            guard isComplete else { throw NetworkError(.connectionLost("the snapshot has no end")) }
            return rows
        }
    }
}

extension EntityAccess {
    /// The digest of the stored rows. A row whose checksum is wrong adds a value that the server cannot have.
    func digest(of collection: String) throws -> CollectionDigest {
        var buckets: [Int: RowDigest] = [:]
        for (id, row) in try remoteRows(of: collection) {
            let hash = RowHash(id: id, version: row.isUnchanged ? row.version : ~row.version)
            buckets[hash.bucket, default: RowDigest()].insert(hash)
        }
        return CollectionDigest(
            collection: collection,
            buckets: buckets.sorted { $0.key < $1.key }.map { BucketDigest(bucket: $0.key, rows: $0.value) })
    }

    /// Makes the server's rows of one bucket the base rows; others are deleted.
    ///
    /// - Parameter upTo: The version up to which the server shows everything.
    /// - Returns: The number of rows that had to be changed.
    func take(_ rows: [SyncChange], of collection: String, bucket: Int, upTo: Int) throws -> Int {
        // As in a replacement round, an older version counts too.
        round += 1
        try tables.db.execute(sql: "UPDATE cursor SET round = ?", arguments: [round])
        let shown = Set(rows.map(\.id))
        let known = try remoteRows(of: collection)
        let gone = known.keys.filter { !shown.contains($0) && RowHash(id: $0, version: 0).bucket == bucket }
        let tombstones = gone.sorted().map { id in
            SyncChange.tombstone(EntityKey(collection: collection, id: id), version: upTo, at: now)
        }
        var changed = 0
        for remote in rows.filter({ $0.collection == collection }).map(present) + tombstones {
            guard let local = try fetchIntact(remote.key, else: remote) else { continue }
            var next = SyncPlanner.reconcile(local: local, remote: remote, replacing: true, context(collection)).state
            // The round is no difference.
            if let round = local.base?.round { next.base?.round = round }
            let isUnchanged = known[remote.id]?.isUnchanged ?? true
            guard next != local || !isUnchanged else { continue }
            try persist(next, over: local, isLocal: false)
            // Also when only the spelling of the JSON was changed.
            if !isUnchanged { try tables.setBase(next.base, remote.key) }
            changed += 1
        }
        return changed
    }

    private struct RemoteRow {
        var version: Int
        /// Whether it is as the server sent it.
        var isUnchanged = true
    }

    /// The server's version of every live row, as far as it is known here.
    private func remoteRows(of collection: String) throws -> [String: RemoteRow] {
        var known: [String: RemoteRow] = [:]
        let sql = "SELECT entity_id, version, updated_at, data, checksum FROM base_row WHERE collection = ?"
        let rows = try Row.fetchCursor(tables.db.cachedStatement(sql: sql), arguments: [collection])
        while let row = try rows.next() {
            let key = EntityKey(collection: collection, id: row[0])
            let isUnchanged = Self.checksum(of: row, key).map { $0 == Int64.fromDatabaseValue(row[4]) } ?? false
            known[key.id] = RemoteRow(version: Int.fromDatabaseValue(row[1]) ?? 0, isUnchanged: isUnchanged)
        }
        // A deferred remote row and the remote row of a conflict are newer.
        for table in ["conflict", "deferred_row"] {
            let sql = "SELECT entity_id, version, data IS NOT NULL FROM \(table) WHERE collection = ?"
            let rows = try Row.fetchCursor(tables.db.cachedStatement(sql: sql), arguments: [collection])
            while let row = try rows.next() { known[row[0]] = (row[2] as Bool) ? RemoteRow(version: row[1]) : nil }
        }
        return known
    }

    /// - Parameter row: Id, version, time and data.
    /// - Returns: `nil` for values that the engine never stores.
    private static func checksum(of row: Row, _ key: EntityKey) -> Int64? {
        guard let version = Int.fromDatabaseValue(row[1]), let updatedAt = Int64.fromDatabaseValue(row[2]),
            let data = String.fromDatabaseValue(row[3])
        else { return nil }
        return BaseChecksum.value(key, version: version, updatedAt: updatedAt, data: data)
    }
}
