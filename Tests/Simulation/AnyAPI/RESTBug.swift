/// A defect that users of other libraries report (each one a pitfall of offline work in front of an API), planted around the
/// engine. The simulation must find each of them.
enum RESTBug: String, CaseIterable, Sendable {
    /// The ids of the server are kept in memory: a restart forgets them.
    case idsInMemory
    /// The acknowledgement of one write also settles the next one.
    case siblingAcknowledged
    /// A pulled row replaces the writes that wait.
    case pullBeatsPush
    /// A list that was read before an acknowledgement is stored after it: the row flickers.
    case staleList
    /// A refused write is dropped.
    case silentReject
    /// A refused write stops all others.
    case blockingPoison
    /// A 5xx loses the request.
    case lostOnFailure
    /// After an unknown outcome a create is sent again without a look-up.
    case noLookUp
    /// Changes are asked for from the last seen time on, without an overlap.
    case noOverlap
    /// A row that a cut list lacks is deleted.
    case deletesAfterCutList
    /// The checkpoint is stored in another transaction than its page.
    case checkpointApart
    /// References are sent as they are stored here.
    case localReferences
    /// Each sending of a write has a new idempotency key.
    case newKeys
    /// A write that failed once is never due again.
    case neverRetried
    /// An expired cursor counts as a page without changes: nothing is read again.
    case deafToExpiry
    /// The ids of new rows count from 1001 on, at each device and at the server.
    case collidingIDs
    /// The server answers a refusal with status 200, and the remote takes it for an effect.
    case refusalAsSuccess
    /// The queue shows no refused write.
    case hiddenQueue
    /// A run does one half only: it sends, and fetches nothing.
    case pushOnly
    /// Writes are sent without the entity tag.
    case noPrecondition

    /// The names of the rules with which it can be seen.
    var rules: [String] {
        switch self {
        case .idsInMemory: ["plain", "modern"]
        case .noLookUp: ["ignored-etags", "compared"]
        case .noOverlap: ["compared", "client-ids-since"]
        case .deletesAfterCutList: ["shifting-pages"]
        case .checkpointApart, .deafToExpiry: ["modern", "client-ids"]
        case .localReferences: ["modern", "compared"]
        case .newKeys, .pullBeatsPush: ["modern", "shifting-pages"]
        case .collidingIDs: ["client-ids", "client-ids-bare"]
        case .refusalAsSuccess, .pushOnly: ["modern", "client-ids"]
        case .noPrecondition: ["modern", "natural-feed"]
        default: ["modern", "client-ids-bare"]
        }
    }
}

extension RESTBug {
    /// What a violation says that this defect causes. Another violation does not count as found.
    var signs: [String] {
        switch self {
        case .siblingAcknowledged, .pullBeatsPush, .silentReject, .lostOnFailure, .refusalAsSuccess:
            // Its row still shows the value.
            ["is lost: it is in no queue", "which is neither queued here nor was ever at the server"]
        case .staleList: ["goes back to"]
        case .blockingPoison, .neverRetried: ["still queued three back-offs after the faults"]
        case .noLookUp: ["without a look-up between"]
        case .newKeys: ["was created twice"]
        case .idsInMemory, .deletesAfterCutList: ["'no', which is neither queued here nor was ever at the server"]
        case .noOverlap, .checkpointApart, .deafToExpiry, .pushOnly: [" here and "]
        case .localReferences: ["which the server never had"]
        case .collidingIDs: ["makes a row under the id"]
        case .hiddenQueue: ["rejected is still queued"]
        case .noPrecondition: ["which it had not read, without a conflict"]
        }
    }

    func isShown(by violation: String) -> Bool { signs.contains { violation.contains($0) } }

    /// The SQL trigger that causes the defect.
    var trigger: String? {
        switch self {
        case .siblingAcknowledged:
            """
            CREATE TRIGGER bug AFTER DELETE ON outbox WHEN OLD.state = 'inflight' BEGIN
                DELETE FROM outbox WHERE state = 'pending' AND client_seq = (
                    SELECT MIN(client_seq) FROM outbox WHERE client_seq > OLD.client_seq); END
            """
        case .silentReject:
            """
            CREATE TRIGGER bug AFTER INSERT ON outbox WHEN NEW.state = 'rejected' BEGIN
                DELETE FROM outbox WHERE client_seq = NEW.client_seq; END
            """
        case .lostOnFailure:
            """
            CREATE TRIGGER bug AFTER UPDATE OF attempts ON outbox WHEN NEW.attempts > OLD.attempts BEGIN
                DELETE FROM outbox WHERE client_seq = NEW.client_seq; END
            """
        case .neverRetried:
            // A run looks at positions above zero only.
            """
            CREATE TRIGGER bug AFTER UPDATE OF attempts ON outbox WHEN NEW.attempts > OLD.attempts BEGIN
                UPDATE client SET last_seq = max(last_seq, NEW.client_seq);
                UPDATE outbox SET client_seq = -NEW.client_seq WHERE client_seq = NEW.client_seq; END
            """
        default: nil
        }
    }
}
