import FoundationEssentials
import StrataDomain

/// The answers of finished writes, each committed together with its effect.
enum IdempotencyLog {
    /// How long an answer can be repeated.
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

    /// The answer kept for `claim`, or `nil` after the claim was entered: then the caller goes on and calls `keep`.
    ///
    /// - Throws: 422 when the key belongs to a request with another payload.
    static func take(_ claim: IdempotencyClaim, at now: Date, in transaction: any StoreTransaction) throws -> Answer? {
        try transaction.execute(
            "DELETE FROM idempotent_answer WHERE id = \(claim.id) AND at <= \(now.addingTimeInterval(-lifetime))")
        let hash = claim.payloadHash.base64EncodedString()
        // Entered first: on an engine with several writers the second one waits here for the first to commit.
        let entered = try transaction.execute(
            """
            INSERT INTO idempotent_answer (id, payload_hash, status, headers, body, at)
            VALUES (\(claim.id), \(hash), 0, '', '', \(now)) ON CONFLICT (id) DO NOTHING
            """)
        guard entered == 0 else { return nil }
        guard
            let row = try transaction.row(
                "SELECT payload_hash, status, headers, body FROM idempotent_answer WHERE id = \(claim.id)")
        else { throw StoreError.failed("an idempotency key vanished inside a transaction") }
        guard try row.text("payload_hash") == hash else {
            throw ServiceError(
                422, code: "idempotency_key_reused", title: "Idempotency-Key used before",
                detail: "This Idempotency-Key belongs to a request with another payload; send a new key.")
        }
        var headers = HeaderFields()
        for pair in try WireJSON.decode([[String]].self, from: Data(row.text("headers").utf8)) where pair.count == 2 {
            headers.add(pair[0], pair[1])
        }
        headers["Idempotency-Replayed"] = "true"
        return Answer(status: try row.int("status"), headers: headers, body: Data(try row.text("body").utf8))
    }

    /// Stores the answer of the write that entered `claim`.
    static func keep(_ answer: Answer, for claim: IdempotencyClaim, in transaction: any StoreTransaction) throws {
        let headers = try WireJSON.encode(answer.headers.fields.map { [$0.name, $0.value] })
        let (fields, body) = (String(decoding: headers, as: UTF8.self), String(decoding: answer.body, as: UTF8.self))
        try transaction.execute(
            """
            UPDATE idempotent_answer SET status = \(answer.status), headers = \(fields), body = \(body)
            WHERE id = \(claim.id)
            """)
    }

    /// Removes answers that are older than their lifetime.
    static func prune(at now: Date, in transaction: any StoreTransaction) throws {
        try transaction.execute(
            "DELETE FROM idempotent_answer WHERE at <= \(now.addingTimeInterval(-lifetime))")
    }
}
