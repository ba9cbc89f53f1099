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
        default: ["modern", "client-ids-bare"]
        }
    }
}

extension RESTBug {
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
