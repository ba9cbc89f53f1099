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

    /// The stored response of `claim`; `nil` for a request that did not run yet, or longer ago than the lifetime.
    ///
    /// - Throws: 422 when the key belongs to a request with another payload.
    static func response(to claim: IdempotencyClaim, at now: Date, in reader: any StoreReader) throws
        -> EncodedResponse?
    {
        guard
            let row = try reader.row(
                """
                SELECT payload_hash, status, headers, body FROM idempotent_answer
                WHERE id = \(claim.id) AND at > \(oldest(at: now))
                """)
        else { return nil }
        guard try row.text("payload_hash") == claim.payloadText else {
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

    /// Stores the response of a write for which `response(to:)` found none in the same transaction. Writes run one at a time in
    /// every engine, so no other request with the key has run in between.
    ///
    /// - Throws: 409 when one has, which rolls the effect of this one back.
    static func keep(
        _ response: EncodedResponse, for claim: IdempotencyClaim, at now: Date, in transaction: any StoreTransaction
    ) throws {
        let (fields, body) = (Self.text(of: response.headers), String(decoding: response.body, as: UTF8.self))
        let stored = try transaction.execute(
            """
            INSERT INTO idempotent_answer (id, payload_hash, status, headers, body, at)
            VALUES (\(claim.id), \(claim.payloadText), \(response.status), \(fields), \(body), \(now))
            ON CONFLICT (id) DO UPDATE SET payload_hash = excluded.payload_hash, status = excluded.status,
                headers = excluded.headers, body = excluded.body, at = excluded.at
                WHERE idempotent_answer.at <= \(oldest(at: now))
            """)
        guard stored == 1 else { throw ServiceError.idempotencyKeyInFlight }
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

    /// Removes responses older than their lifetime.
    static func prune(at now: Date, in transaction: any StoreTransaction) throws {
        try transaction.execute(
            "DELETE FROM idempotent_answer WHERE at <= \(oldest(at: now))")
    }
}
