import FoundationEssentials
import StrataDomain

/// The responses of finished writes, each committed together with its effect.
enum IdempotencyLog {
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

    /// The stored response of `claim`. `nil` inserts the claim; the caller then does its work and calls `keep`.
    ///
    /// - Throws: 422 when the key belongs to a request with another payload.
    static func take(_ claim: IdempotencyClaim, at now: Date, in transaction: any StoreTransaction) throws
        -> EncodedResponse?
    {
        try transaction.execute(
            "DELETE FROM idempotent_answer WHERE id = \(claim.id) AND at <= \(now.addingTimeInterval(-lifetime))")
        let hash = claim.payloadHash.base64EncodedString()
        // The insert comes first: on an engine with several writers the second waits here until the first commits.
        let inserted = try transaction.execute(
            """
            INSERT INTO idempotent_answer (id, payload_hash, status, headers, body, at)
            VALUES (\(claim.id), \(hash), 0, '', '', \(now)) ON CONFLICT (id) DO NOTHING
            """)
        guard inserted == 0 else { return nil }
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
        return EncodedResponse(status: try row.int("status"), headers: headers, body: Data(try row.text("body").utf8))
    }

    /// Stores the response of the write whose `take` inserted `claim`.
    static func keep(_ response: EncodedResponse, for claim: IdempotencyClaim, in transaction: any StoreTransaction)
        throws
    {
        let (fields, body) = (Self.text(of: response.headers), String(decoding: response.body, as: UTF8.self))
        try transaction.execute(
            """
            UPDATE idempotent_answer SET status = \(response.status), headers = \(fields), body = \(body)
            WHERE id = \(claim.id)
            """)
    }

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

    /// Removes responses older than their lifetime.
    static func prune(at now: Date, in transaction: any StoreTransaction) throws {
        try transaction.execute(
            "DELETE FROM idempotent_answer WHERE at <= \(now.addingTimeInterval(-lifetime))")
    }
}
