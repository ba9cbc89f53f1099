import FoundationEssentials

/// The uploads of one feature in the database, and their pieces. An upload and its offset change in one transaction with the
/// piece, so the offset is always that of the stored bytes.
struct UploadTable: Sendable {
    /// Bytes of a piece at most, apart from what one read of the connection brings: a write of some milliseconds.
    static let piece = 1024 * 1024
    /// A smaller piece takes the next bytes too, so that requests of a byte each leave no row each.
    private static let leastPiece = 16 * 1024

    private let uploads: Statement
    private let pieces: Statement
    /// Largest content in bytes.
    private let limit: Int
    let migration: StoreMigration

    /// The states of an upload.
    private enum Phase {
        static let open = "open"
        /// Its content belongs to a row of the feature; kept for a client that did not get the response.
        static let complete = "complete"
        /// Cancelled, expired or refused. No request finds it any more, and its rows are removed soon.
        static let ended = "ended"
    }

    /// - Parameter name: Of the feature's uploads, in snake_case; part of the names of the tables.
    init(_ name: String, limit: Int) {
        (uploads, pieces) = ("\(raw: name)_upload", "\(raw: name)_upload_piece")
        self.limit = limit
        migration = StoreMigration(
            "\(name)_uploads-1",
            """
            CREATE TABLE \(name)_upload (
                id TEXT NOT NULL PRIMARY KEY, owner TEXT NOT NULL, target TEXT NOT NULL, file_name TEXT NOT NULL,
                media_type TEXT, digest BYTEA, idempotency_key TEXT, received BIGINT NOT NULL, total BIGINT,
                phase TEXT NOT NULL, has_pieces BIGINT NOT NULL, at BIGINT NOT NULL)
            """,
            "CREATE INDEX \(name)_upload_by_owner ON \(name)_upload (owner, phase, at)",
            "CREATE INDEX \(name)_upload_by_phase ON \(name)_upload (phase, has_pieces)",
            """
            CREATE TABLE \(name)_upload_piece (
                upload_id TEXT NOT NULL REFERENCES \(name)_upload (id) ON DELETE CASCADE, place BIGINT NOT NULL,
                bytes BYTEA NOT NULL, PRIMARY KEY (upload_id, place))
            """
        )
    }

    // MARK: Reading

    /// The upload of `owner`; `nil` for an unknown and for an ended one.
    func find(_ id: String, of owner: String, in store: any StoreReader) throws -> UploadRow? {
        try store.row(
            "SELECT * FROM \(uploads) WHERE id = \(id) AND owner = \(owner) AND phase <> \(Phase.ended)"
        ).map(row)
    }

    /// The state of an upload; `nil` for an ended one.
    func state(of id: String, in store: any StoreReader) throws -> UploadState? {
        try store.row("SELECT * FROM \(uploads) WHERE id = \(id) AND phase <> \(Phase.ended)").map(row)?.state
    }

    /// The newest open upload that the same request has created before.
    func open(_ key: String, at target: String, of owner: String, in store: any StoreReader) throws -> UploadRow? {
        try store.row(
            """
            SELECT * FROM \(uploads) WHERE owner = \(owner) AND phase = \(Phase.open) AND idempotency_key = \(key)
            AND target = \(target) ORDER BY at DESC LIMIT 1
            """
        ).map(row)
    }

    /// The stored bytes from `place` on, at least one; `nil` when they are gone, because the upload is complete or has ended.
    func piece(at place: Int, of id: String, in store: any StoreReader) throws -> Data? {
        try store.row("SELECT bytes FROM \(pieces) WHERE upload_id = \(id) AND place = \(place)")?.blob("bytes")
    }

    // MARK: Writing

    func insert(_ row: UploadRow, in transaction: any StoreTransaction) throws {
        try transaction.execute(
            """
            INSERT INTO \(uploads) (id, owner, target, file_name, media_type, digest, idempotency_key, received, total, phase,
                has_pieces, at)
            VALUES (\(row.id), \(row.owner), \(row.target), \(row.fileName), \(row.mediaType), \(row.digest), \(row.key),
                \(row.state.received), \(row.state.total), \(Phase.open), 0, \(row.at))
            """)
    }

    /// Adds bytes behind those that are there.
    ///
    /// - Returns: Whether they were added; `false` when the upload has another offset or is not open any more.
    func append(_ bytes: Data, at place: Int, to id: String, now: Date, in transaction: any StoreTransaction) throws
        -> Bool
    {
        let changed = try transaction.execute(
            """
            UPDATE \(uploads) SET received = \(place + bytes.count), has_pieces = 1, at = \(now)
            WHERE id = \(id) AND phase = \(Phase.open) AND received = \(place)
            """)
        guard changed == 1 else { return false }
        let last = try transaction.row(
            """
            SELECT place, bytes FROM \(pieces) WHERE upload_id = \(id)
            AND place = (SELECT MAX(place) FROM \(pieces) WHERE upload_id = \(id)) AND length(bytes) < \(Self.leastPiece)
            """)
        if let last {
            let whole = try last.blob("bytes") + bytes
            try transaction.execute(
                "UPDATE \(pieces) SET bytes = \(whole) WHERE upload_id = \(id) AND place = \(try last.int("place"))")
        } else {
            try transaction.execute(
                "INSERT INTO \(pieces) (upload_id, place, bytes) VALUES (\(id), \(place), \(bytes))")
        }
        return true
    }

    func setTotal(_ total: Int, of id: String, in transaction: any StoreTransaction) throws {
        try transaction.execute("UPDATE \(uploads) SET total = \(total) WHERE id = \(id)")
    }

    /// - Returns: Whether this call completed it; `false` when it has another offset or is not open any more.
    func complete(_ id: String, at received: Int, now: Date, in transaction: any StoreTransaction) throws -> Bool {
        try transaction.execute(
            """
            UPDATE \(uploads) SET phase = \(Phase.complete), total = \(received), at = \(now)
            WHERE id = \(id) AND phase = \(Phase.open) AND received = \(received)
            """) == 1
    }

    /// Ends an open or complete upload. Its rows stay for `clear`: to delete many pieces at once would make every other writer
    /// wait.
    func end(_ id: String, in transaction: any StoreTransaction) throws {
        try transaction.execute("UPDATE \(uploads) SET phase = \(Phase.ended) WHERE id = \(id)")
    }

    // MARK: Bounds

    /// Ends the oldest open uploads of a caller until one more fits.
    ///
    /// - Parameters:
    ///   - total: Bytes of the new upload.
    ///   - idle: Only uploads without a byte since then are ended.
    /// - Throws: 429 when the others are all being sent.
    func makeRoom(
        of owner: String, for total: Int, _ limits: UploadLimits, idle: Date, in transaction: any StoreTransaction
    ) throws {
        var open = try transaction.rows(
            "SELECT * FROM \(uploads) WHERE owner = \(owner) AND phase = \(Phase.open) ORDER BY at DESC"
        ).map(row)
        func isFull() -> Bool {
            let bytes = open.reduce(total) { $0 + ($1.state.total ?? limit) }
            return open.count >= limits.perCaller || bytes > limits.bytes(contentLimit: limit)
        }
        while isFull(), let oldest = open.popLast() {
            guard oldest.at < idle else { throw ServiceError.tooManyUploads(limit: open.count + 1) }
            try end(oldest.id, in: transaction)
        }
    }

    /// Ends uploads that had no byte since `date`, also complete ones. After the clock was set back, the lifetime of newer ones
    /// begins anew.
    func expire(before date: Date, at now: Date, in transaction: any StoreTransaction) throws {
        try transaction.execute(
            "UPDATE \(uploads) SET phase = \(Phase.ended) WHERE phase <> \(Phase.ended) AND at < \(date)")
        try transaction.execute(
            "UPDATE \(uploads) SET at = \(now) WHERE at > \(now.addingTimeInterval(ClockTolerance.seconds))")
    }

    /// An upload whose pieces are needed no more.
    struct Remains: Sendable {
        let id: String
        /// Whether its row is needed no more, either.
        let isEnded: Bool
    }

    func remains(in store: any StoreReader) throws -> Remains? {
        try store.row(
            """
            SELECT id, phase FROM \(uploads)
            WHERE phase = \(Phase.ended) OR (phase = \(Phase.complete) AND has_pieces = 1) LIMIT 1
            """
        ).map { Remains(id: try $0.text("id"), isEnded: try $0.text("phase") == Phase.ended) }
    }

    /// Removes some pieces; after the last ones also the row, or the note that it has pieces.
    func clear(_ remains: Remains, in transaction: any StoreTransaction) throws {
        let (id, most) = (remains.id, 16)
        let removed = try transaction.execute(
            """
            DELETE FROM \(pieces) WHERE upload_id = \(id)
            AND place IN (SELECT place FROM \(pieces) WHERE upload_id = \(id) LIMIT \(most))
            """)
        guard removed < most else { return }
        try transaction.execute(
            remains.isEnded
                ? "DELETE FROM \(uploads) WHERE id = \(id)"
                : "UPDATE \(uploads) SET has_pieces = 0 WHERE id = \(id)")
    }

    private func row(_ row: StoreRow) throws -> UploadRow {
        UploadRow(
            id: try row.text("id"), owner: try row.text("owner"), target: try row.text("target"),
            fileName: try row.text("file_name"), mediaType: try row.textIfAny("media_type"),
            digest: try row.isNull("digest") ? nil : row.blob("digest"), key: try row.textIfAny("idempotency_key"),
            state: UploadState(
                received: try row.int("received"), total: try row.intIfAny("total"),
                isComplete: try row.text("phase") == Phase.complete, limit: limit),
            at: try row.date("at"))
    }
}
