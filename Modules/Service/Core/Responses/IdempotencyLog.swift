import FoundationEssentials
import StrataDomain

/// The responses of finished writes, each committed together with its effect.
///
/// The log is bounded for each caller. New keys have a rate. Bodies of more than `largeBody` bytes take `largeBodies` bytes at
/// most; a new one drops the oldest. A record without its body still keeps the write from taking effect twice.
struct IdempotencyLog: Sendable {
    let rates: RateLimiter
    /// Bytes of the large bodies of one caller.
    let largeBodies: Int

    /// A larger body is large: 2 KiB.
    static let largeBody = 2048

    /// How long a response is repeated, in seconds: 24 h.
    static let lifetime: TimeInterval = 24 * 3600

    static let migration = StoreMigration(
        "core-1-idempotency",
        """
        CREATE TABLE idempotent_answer (
            id TEXT NOT NULL PRIMARY KEY, payload_hash TEXT NOT NULL, status BIGINT NOT NULL,
            headers TEXT NOT NULL, body TEXT NOT NULL, at BIGINT NOT NULL)
        """,
        "CREATE INDEX idempotent_answer_at ON idempotent_answer (at)"
    )

    /// `owner` and `large_bytes` are `NULL` for a small body; `large_bytes` is 0 once the body was dropped.
    static let sizesMigration = StoreMigration(
        "core-2-idempotency-sizes",
        "ALTER TABLE idempotent_answer ADD COLUMN owner TEXT",
        "ALTER TABLE idempotent_answer ADD COLUMN large_bytes BIGINT",
        """
        CREATE INDEX idempotent_answer_large ON idempotent_answer (owner, at, large_bytes) WHERE large_bytes > 0
        """
    )

    /// The stored response of `claim`; `nil` for a request that did not run yet, or longer ago than the lifetime.
    ///
    /// - Throws: 422 when the key belongs to a request with another payload; 409 when the body of the response was dropped.
    func response(to claim: IdempotencyClaim, at now: Date, in reader: any StoreReader) throws
        -> EncodedResponse?
    {
        guard
            let row = try reader.row(
                """
                SELECT payload_hash, status, headers, body, large_bytes FROM idempotent_answer
                WHERE id = \(claim.id) AND at > \(Self.oldest(at: now))
                """)
        else { return nil }
        guard try row.text("payload_hash") == claim.payloadText else {
            throw ServiceError(
                422, code: "idempotency_key_reused", title: "Idempotency-Key used before",
                detail: "This Idempotency-Key belongs to a request with another payload; send a new key.")
        }
        guard try row.intIfAny("large_bytes") != 0 else { throw ServiceError.idempotentResponseDropped }
        var headers = HeaderFields()
        for pair in try WireJSON.decode([[String]].self, from: Data(row.text("headers").utf8)) where pair.count == 2 {
            headers.add(pair[0], pair[1])
        }
        headers["Idempotency-Replayed"] = "true"
        return EncodedResponse(status: try row.int("status"), headers: headers, body: Data(try row.text("body").utf8))
    }

    /// Counts a new key.
    ///
    /// - Throws: 429 above the rate of new keys.
    func count(_ claim: IdempotencyClaim) throws {
        let quota = rates.takeKey(of: claim.owner)
        if let wait = quota.wait { throw ServiceError.rateLimited(quota, retryAfter: wait) }
    }

    /// Stores the response of a write for which `response(to:)` found none: with one writer at a time in the same transaction, so no
    /// other request with the key has run in between; otherwise before it.
    ///
    /// - Throws: When one has, 409 with one writer at a time, and `StaleRead`, perhaps with the commit, otherwise. Both roll the
    ///   effect of this one back.
    func keep(
        _ response: EncodedResponse, for claim: IdempotencyClaim, at now: Date, in transaction: any StoreTransaction
    ) throws {
        let (fields, body) = (Self.text(of: response.headers), String(decoding: response.body, as: UTF8.self))
        let isLarge = Self.isLarge(response)
        let (owner, bytes) = (isLarge ? claim.owner : nil, isLarge ? response.body.count : nil)
        let insertion: Statement = """
            INSERT INTO idempotent_answer (id, payload_hash, status, headers, body, at, owner, large_bytes)
            VALUES (\(claim.id), \(claim.payloadText), \(response.status), \(fields), \(body), \(now), \(owner), \(bytes))
            ON CONFLICT (id) DO UPDATE SET payload_hash = excluded.payload_hash,
                headers = excluded.headers, body = excluded.body, at = excluded.at, owner = excluded.owner,
                large_bytes = excluded.large_bytes, status =
            """
        let isExpired: Statement = "idempotent_answer.at <= \(Self.oldest(at: now))"
        if transaction.concurrentWriters == nil {
            guard try transaction.execute("\(insertion) excluded.status WHERE \(isExpired)") == 1 else {
                throw ServiceError.idempotencyKeyInFlight
            }
        } else {
            // `status` must not be NULL, so a record that is not expired is refused without a wait for the number of rows.
            try transaction.executeLater(
                "\(insertion) CASE WHEN \(isExpired) THEN excluded.status END", orThrow: StaleRead())
        }
        if isLarge, transaction.concurrentWriters == nil {
            try Self.dropBodies(of: excess(of: claim, in: transaction), in: transaction)
        }
    }

    /// Drops large bodies after the commit, where writers run side by side. In the transaction, the sum would make each write of the
    /// caller depend on every other one, and all but one of them would run again.
    func trim(after response: EncodedResponse, for claim: IdempotencyClaim, in store: any Store) async throws {
        guard Self.isLarge(response) else { return }
        let ids = try await store.read { reader in try excess(of: claim, in: reader) }
        if !ids.isEmpty { try await store.quiet.write { transaction in try Self.dropBodies(of: ids, in: transaction) } }
    }

    private static func isLarge(_ response: EncodedResponse) -> Bool { response.body.count > largeBody }

    /// The oldest records with large bodies of the caller, without which the others fit; never that of `claim`.
    private func excess(of claim: IdempotencyClaim, in reader: any StoreReader) throws -> [String] {
        let large: Statement = "owner = \(claim.owner) AND large_bytes > 0"
        let total = try reader.row(
            "SELECT CAST(SUM(large_bytes) AS BIGINT) AS total FROM idempotent_answer WHERE \(large)"
        )?.intIfAny("total")
        var excess = (total ?? 0) - largeBodies
        var ids: [String] = []
        guard excess > 0 else { return ids }
        try reader.forEachRow(
            of: "SELECT id, large_bytes FROM idempotent_answer WHERE \(large) AND id <> \(claim.id) ORDER BY at"
        ) { row in
            ids.append(try row.text("id"))
            excess -= try row.int("large_bytes")
            return excess > 0
        }
        return ids
    }

    private static func dropBodies(of ids: [String], in transaction: any StoreTransaction) throws {
        for start in stride(from: 0, to: ids.count, by: 100) {
            let part = Array(ids[start..<min(start + 100, ids.count)])
            try transaction.execute(
                "UPDATE idempotent_answer SET body = '', large_bytes = 0 WHERE id IN (\(list: part))")
        }
    }

    private static func oldest(at now: Date) -> Date { now.addingTimeInterval(-lifetime) }

    /// An array of names and values in JSON.
    private static func text(of headers: HeaderFields) -> String {
        var text = JSONText()
        text.raw("[")
        for (index, field) in headers.enumerated() {
            text.raw(index > 0 ? ",[" : "[")
            text.string(field.name)
            text.raw(",")
            text.string(field.value)
            text.raw("]")
        }
        text.raw("]")
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// Removes responses older than their lifetime. After the clock was set back, the lifetime of newer ones begins anew.
    static func prune(at now: Date, in transaction: any StoreTransaction) throws {
        try transaction.execute(
            "DELETE FROM idempotent_answer WHERE at <= \(oldest(at: now))")
        try transaction.execute(
            "UPDATE idempotent_answer SET at = \(now) WHERE at > \(now.addingTimeInterval(ClockTolerance.seconds))")
    }
}

extension ServiceError {
    fileprivate static let idempotentResponseDropped = ServiceError(
        409, code: "idempotent_response_dropped", title: "Done before",
        detail:
            "This request took effect, and its response is no longer stored, because you sent many large ones since. "
            + "Read the resource instead.")
}
