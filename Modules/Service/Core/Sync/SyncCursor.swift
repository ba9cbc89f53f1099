import FoundationEssentials
import StrataDomain

/// Where a client stands in the order of changes; opaque to the client.
struct SyncCursor: Sendable, Hashable {
    /// The life of the database and the stretch of it; others mean that the data was replaced.
    var past: SyncPast
    /// The client has everything up to this version.
    var after: Int
    /// End of the round that is being paged; `nil` between rounds.
    var upTo: Int?
    /// Whether the round began without a cursor.
    var isReplacement = false
}

/// What ties a cursor or a page mark to one history and one caller.
struct SyncPast: Sendable, Hashable {
    var epoch: String
    var timeline: String
    /// The fingerprint of the scope.
    var scope: String

    init(epoch: String, timeline: String, scope: String) {
        (self.epoch, self.timeline, self.scope) = (epoch, timeline, scope)
    }

    init(_ position: SyncTables.Position, _ scope: SyncScope) {
        self.init(epoch: position.epoch, timeline: position.timeline, scope: scope.fingerprint)
    }

    /// - Throws: 409 unless `version`, seen in this past, belongs to the past of this database.
    func checkHistory(
        upTo version: Int, _ position: SyncTables.Position, in reader: any StoreReader
    ) throws {
        guard epoch == position.epoch, try SyncTimelines.contains(version, in: timeline, position, reader) else {
            throw ServiceError.conflict(
                code: SyncCode.epochChanged,
                "The server's data was replaced or put back to a backup; start again without a cursor.")
        }
    }

    /// - Throws: 409 unless this was given for `wanted`.
    func check(_ wanted: SyncScope) throws {
        guard scope == wanted.fingerprint else {
            throw ServiceError.conflict(
                code: SyncCode.scopeChanged,
                "The cursor was given to somebody else, for other collections, or for rows of another form; "
                    + "start again without a cursor.")
        }
    }
}

extension SyncCursor {
    private static let kind = "strata-sync-cursor-2"

    var text: String {
        SealedFields.seal(
            [
                past.epoch, past.timeline, past.scope, String(after), upTo.map { String($0) } ?? "",
                isReplacement ? "r" : "",
            ], as: Self.kind)
    }

    /// - Returns: `nil` for anything that `text` did not write.
    init?(_ text: String) {
        guard let parts = SealedFields.open(text, as: Self.kind), parts.count == 6, let after = Int(parts[3]),
            after >= 0
        else { return nil }
        let upTo = Int(parts[4])
        guard parts[4].isEmpty || (upTo ?? -1) >= after else { return nil }
        self.init(
            past: SyncPast(epoch: parts[0], timeline: parts[1], scope: parts[2]), after: after, upTo: upTo,
            isReplacement: parts[5] == "r")
    }

    /// The cursor that a caller sent.
    ///
    /// - Throws: 400; 410 for one that an earlier revision of this service wrote, so that its holder starts again.
    init(received text: String) throws {
        if let cursor = SyncCursor(text) {
            self = cursor
        } else if SealedFields.open(text, as: "strata-sync-cursor-1") != nil {
            throw Self.expired
        } else {
            throw ServiceError(
                400, code: SyncCode.invalidCursor, title: "Invalid cursor",
                detail: "This cursor was not written by this server; start again without a cursor.")
        }
    }

    static var expired: ServiceError {
        ServiceError(
            410, code: SyncCode.cursorExpired, title: "Cursor expired",
            detail: "Deletions after this cursor are forgotten; start again without a cursor.")
    }
}
