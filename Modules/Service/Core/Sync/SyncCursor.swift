import FoundationEssentials
import StrataDomain

/// The position of a client in the order of changes. Its text is opaque to the client.
struct SyncCursor: Sendable, Hashable {
    /// The history and scope for which the cursor was issued.
    var origin: CursorOrigin
    /// The client has every change up to this version.
    var after: Int
    /// Last version of the current round; `nil` between rounds.
    var upTo: Int?
    /// Whether the round began without a cursor.
    var isReplacement = false
}

/// The history and scope for which a cursor or page mark was issued. With another epoch or timeline the data was replaced.
struct CursorOrigin: Sendable, Hashable {
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

    /// - Throws: 409 unless `version` of this origin is part of the history of this database.
    func checkHistory(
        upTo version: Int, _ position: SyncTables.Position, in reader: any StoreReader
    ) throws {
        guard epoch == position.epoch, try SyncTimelines.contains(version, in: timeline, position, reader) else {
            throw ServiceError.conflict(
                code: SyncCode.epochChanged,
                "The data of the server was replaced or restored from a backup; start again without a cursor.")
        }
    }

    /// - Throws: 409 unless the cursor was issued for `wanted`.
    func check(_ wanted: SyncScope) throws {
        guard scope == wanted.fingerprint else {
            throw ServiceError.conflict(
                code: SyncCode.scopeChanged,
                "The cursor was issued for another user, other collections, or another row format; "
                    + "start again without a cursor.")
        }
    }
}

extension SyncCursor {
    private static let kind = "strata-sync-cursor-2"

    var text: String {
        ChecksummedText.encode(
            [
                origin.epoch, origin.timeline, origin.scope, String(after), upTo.map { String($0) } ?? "",
                isReplacement ? "r" : "",
            ], as: Self.kind)
    }

    /// - Returns: `nil` for text that is not a cursor.
    init?(_ text: String) {
        guard let parts = ChecksummedText.decode(text, as: Self.kind), parts.count == 6, let after = Int(parts[3]),
            after >= 0
        else { return nil }
        let upTo = Int(parts[4])
        guard parts[4].isEmpty || (upTo ?? -1) >= after else { return nil }
        self.init(
            origin: CursorOrigin(epoch: parts[0], timeline: parts[1], scope: parts[2]), after: after, upTo: upTo,
            isReplacement: parts[5] == "r")
    }

    /// The cursor in a request.
    ///
    /// - Throws: 400; 410 for a cursor of an earlier revision, so that the client starts again.
    init(received text: String) throws {
        if let cursor = SyncCursor(text) {
            self = cursor
        } else if ChecksummedText.decode(text, as: "strata-sync-cursor-1") != nil {
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
            detail: "The server no longer has the deletions after this cursor; start again without a cursor.")
    }
}
