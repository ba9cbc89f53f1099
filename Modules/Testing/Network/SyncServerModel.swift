public import FoundationEssentials
public import StrataDomain

/// The server's side of the sync protocol as a value, for doubles of the server: versions from one counter, tombstones,
/// rounds of pages up to a fixed point, epochs, a digest, and snapshots.
public struct SyncServerModel: Sendable {
    /// Which row it is.
    public struct Key: Sendable, Hashable, Comparable {
        /// The name of the collection.
        public var collection: String
        /// The id of the row.
        public var id: String

        /// The key of a row.
        public init(collection: String, id: String) {
            self.collection = collection
            self.id = id
        }

        public static func < (left: Key, right: Key) -> Bool {
            (left.collection, left.id) < (right.collection, right.id)
        }
    }

    /// A row, or what is left of a deleted one.
    public struct Row: Sendable, Hashable {
        /// The version of its last write.
        public var version: Int
        /// `nil` for a tombstone.
        public var data: [String: JSONValue]?

        /// A time that rises with the version.
        public var updatedAt: Date { Date(timeIntervalSince1970: 1_800_000_000 + Double(version)) }
    }

    /// The number of the server's data; another one means that the data was replaced.
    public var epoch = 1
    /// The version of the newest row.
    public var seq = 0
    /// All rows, tombstones included.
    public var rows: [Key: Row] = [:]
    /// Cursors below this have expired.
    public var horizon = 0
    /// Whether the data of a change repeats id, version and time of its row, as the service's does.
    public var repeatsRowFields: Bool

    /// A server without rows.
    public init(repeatsRowFields: Bool) { self.repeatsRowFields = repeatsRowFields }

    /// The data of the rows that are there.
    public var live: [Key: [String: JSONValue]] { rows.compactMapValues(\.data) }

    // MARK: - Writes

    /// - Parameter data: `nil` deletes. A field without a value is left out.
    /// - Returns: The new version.
    @discardableResult
    public mutating func store(_ data: [String: JSONValue]?, at key: Key) -> Int {
        seq += 1
        rows[key] = Row(version: seq, data: data?.filter { $0.value != .null })
        return seq
    }

    /// The row with some other fields.
    @discardableResult
    public mutating func merge(_ fields: [String: JSONValue], at key: Key) -> Int {
        store((rows[key]?.data ?? [:]).merging(fields) { $1 }, at: key)
    }

    /// Forgets all tombstones; cursors from before have expired.
    public mutating func prune() {
        rows = rows.filter { $0.value.data != nil }
        horizon = seq
    }

    /// Applies a mutation.
    ///
    /// - Parameter tidy: What the server makes of the data.
    public mutating func apply(
        _ mutation: Mutation, tidy: ([String: JSONValue]) -> [String: JSONValue] = { $0 }
    ) -> MutationResult {
        let key = Key(mutation)
        let row = rows[key]
        let isConflict =
            switch mutation.operation {
            case .create: row?.data != nil
            case .patch, .delete: row?.data == nil || row?.version != mutation.baseVersion
            }
        if isConflict {
            return MutationResult(id: mutation.id, status: .conflict, current: row.map { change(key, $0) })
        }
        let data: [String: JSONValue]? =
            switch mutation.operation {
            case .create: mutation.fields
            case .patch: (row?.data ?? [:]).merging(mutation.fields) { $1 }
            case .delete: nil
            }
        let version = store(data.map { tidy($0.filter { $0.value != .null }) }, at: key)
        return MutationResult(id: mutation.id, status: .applied, version: version)
    }

    /// The stored result of a mutation that is sent again: the row of a conflict is read anew.
    public func repeated(_ result: MutationResult, of mutation: Mutation) -> MutationResult {
        guard result.status == .conflict else { return result }
        var result = result
        let key = Key(mutation)
        result.current = rows[key].map { change(key, $0) }
        return result
    }

    /// - Throws: When a push carries a cursor of another epoch, or none that was ever given out.
    public func check(cursor: String?) throws(NetworkError) {
        guard let cursor else { return }
        _ = try parts(of: cursor)
    }

    // MARK: - Reads

    /// The page that the server would answer with.
    public func page(_ request: PullChanges) throws(NetworkError) -> ChangesPage {
        var (after, upTo, isReplacement) = (0, seq, true)
        if let cursor = request.cursor {
            let parts = try parts(of: cursor)
            (after, isReplacement) = (parts[1], parts[3] == 1)
            guard isReplacement || after >= horizon else { throw Self.failure(410, SyncCode.cursorExpired) }
            upTo = parts[2] > 0 ? parts[2] : seq
        }
        let due = rows.filter { after < $0.value.version && $0.value.version <= upTo }
            .filter { !isReplacement || $0.value.data != nil }
            .sorted { $0.value.version < $1.value.version }
        let limit = request.limit ?? 500
        let hasMore = due.count > limit
        let shown = due.prefix(limit)
        let reached = hasMore ? shown.last?.value.version ?? after : upTo
        return ChangesPage(
            changes: shown.map { change($0.key, $0.value) },
            cursor: "\(epoch)/\(reached)/\(hasMore ? upTo : 0)/\(hasMore && isReplacement ? 1 : 0)", hasMore: hasMore,
            isReplacement: isReplacement, upTo: upTo, head: seq)
    }

    /// The digest that the server would answer with.
    public func digest() -> SyncDigest {
        var buckets: [String: [Int: RowDigest]] = [:]
        for (key, row) in rows where row.data != nil {
            let hash = RowHash(id: key.id, version: row.version)
            buckets[key.collection, default: [:]][hash.bucket, default: RowDigest()].insert(hash)
        }
        let collections = buckets.sorted { $0.key < $1.key }.map { name, buckets in
            CollectionDigest(
                collection: name,
                buckets: buckets.sorted { $0.key < $1.key }.map { BucketDigest(bucket: $0.key, rows: $0.value) })
        }
        return SyncDigest(epoch: "\(epoch)", upTo: seq, collections: collections)
    }

    /// A snapshot, or one bucket, from a page mark to its end, as the service writes it.
    public func snapshot(_ call: FetchSnapshot) throws(NetworkError) -> String {
        var (upTo, after) = (seq, Key(collection: "", id: ""))
        if let page = call.page {
            let parts = page.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 4, let end = Int(parts[1]) else { throw Self.failure(400, SyncCode.invalidCursor) }
            guard parts[0] == "\(epoch)" else { throw Self.failure(409, SyncCode.epochChanged) }
            guard end >= horizon else { throw Self.failure(410, SyncCode.cursorExpired) }
            (upTo, after) = (end, Key(collection: parts[2], id: parts[3]))
        }
        let wanted = call.collections?.split(separator: ",").map(String.init)
        let due = rows.filter { key, row in
            key > after && row.version <= upTo && row.data != nil && wanted?.contains(key.collection) != false
                && (call.bucket == nil || RowHash(id: key.id, version: 0).bucket == call.bucket)
        }
        var lines = ""
        for (number, (key, row)) in due.sorted(by: { $0.key < $1.key }).enumerated() {
            lines += line(key, row)
            if (number + 1) % (call.limit ?? 1000) == 0 {
                lines += "{\"page\":\"\(epoch)/\(upTo)/\(key.collection)/\(key.id)\"}\n"
            }
        }
        let cursor = call.bucket == nil ? "\"cursor\":\"\(epoch)/\(upTo)/0/0\"," : ""
        return lines + "{\(cursor)\"rows\":\(due.count),\"up_to\":\(upTo)}\n"
    }

    /// The row as a change of a page.
    public func change(_ key: Key, _ row: Row) -> SyncChange {
        var data = row.data
        if repeatsRowFields {
            data?["id"] = .string(key.id)
            data?["version"] = .integer(row.version)
            data?["updated_at"] = .string(RFC3339.string(from: row.updatedAt))
        }
        return SyncChange(
            collection: key.collection, id: key.id, version: row.version, updatedAt: row.updatedAt,
            operation: data == nil ? .delete : .put, data: data)
    }

    /// The error of a status with a code.
    public static func failure(_ status: Int, _ code: String) -> NetworkError {
        let problem = problem(status, code)
        return switch status {
        case 400, 422: NetworkError(.validation(problem))
        case 409: NetworkError(.conflict(problem))
        default: NetworkError(.status(status, problem))
        }
    }

    /// A problem document with this status and code.
    public static func problem(_ status: Int, _ code: String) -> Problem {
        Problem(title: code, status: status, detail: "The server says \(code).", code: code)
    }

    private func line(_ key: Key, _ row: Row) -> String {
        let data = (try? WireJSON.encode(change(key, row).data ?? [:])).map { String(decoding: $0, as: UTF8.self) }
        let milliseconds = Int(row.updatedAt.timeIntervalSince1970 * 1000)
        return "[\"\(key.collection)\",\"\(key.id)\",\(row.version),\(milliseconds),\(data ?? "")]\n"
    }

    /// Epoch, position, end of the round, and whether the round replaces everything.
    private func parts(of cursor: String) throws(NetworkError) -> [Int] {
        let parts = cursor.split(separator: "/").compactMap { Int($0) }
        guard parts.count == 4 else { throw Self.failure(400, SyncCode.invalidCursor) }
        guard parts[0] == epoch else { throw Self.failure(409, SyncCode.epochChanged) }
        return parts
    }
}

extension SyncServerModel.Key {
    /// The row that a mutation changes.
    public init(_ mutation: Mutation) { self.init(collection: mutation.collection, id: mutation.entityId) }
}
