public import FoundationEssentials

/// Sends local writes to the server and stores its changes. Local reads and writes never wait for it.
public protocol SyncService: Sendable {
    /// Pushes the outbox, then pulls all changes.
    ///
    /// - Throws: `.unavailable` or `.busy` when the server cannot be reached, `.unauthorized` when the session ended;
    ///   the outbox keeps its writes.
    func sync() async throws(DomainError) -> SyncReport
    func status() async throws(DomainError) -> SyncStatus
}

/// The result of one sync run.
public struct SyncReport: Codable, Sendable, Hashable {
    public var pushed = 0
    public var pulled = 0
    /// Edits merged into a newer row without a conflict.
    public var merged = 0
    public var conflicts = 0
    public var rejected = 0

    public init() {}

    /// For programs, with the words of the command line.
    private enum CodingKeys: String, CodingKey {
        case pushed = "sent"
        case pulled = "received"
        case merged, conflicts, rejected
    }
}

/// The sync state of the store, without a request to the server.
public struct SyncStatus: Codable, Sendable, Hashable {
    public var pending: Int
    public var rejected: Int
    public var conflicts: Int
    public var lastSyncedAt: Date?
    /// Rows that this version of the program cannot show as the server has them. Default: 0.
    public var hidden = 0

    public init(pending: Int, rejected: Int, conflicts: Int, lastSyncedAt: Date?) {
        self.pending = pending
        self.rejected = rejected
        self.conflicts = conflicts
        self.lastSyncedAt = lastSyncedAt
    }
}

/// The local writes that wait for the server, for display.
public protocol Outbox: Sendable {
    /// A page of the outbox, oldest entry first.
    ///
    /// - Parameters:
    ///   - position: The `mutation.clientSeq` of the last entry before the page; 0 for the first page.
    ///   - limit: Entries to return at most, 1 or more.
    func entries(after position: Int, limit: Int) async throws(DomainError) -> [OutboxEntry]
    /// Ids of entries that begin or end with `part`, a few at most: two are enough to show that `part` is ambiguous.
    func ids(with part: String) async throws(DomainError) -> [Mutation.ID]
    /// Puts a rejected or waiting entry back at the front of the queue of its entity, to be sent at once.
    func retry(_ id: Mutation.ID) async throws(DomainError)
    /// Removes an entry and reverts its effect on the local row.
    func discard(_ id: Mutation.ID) async throws(DomainError)
}

extension Outbox {
    /// All entries, oldest first.
    public func entries() async throws(DomainError) -> [OutboxEntry] {
        var entries: [OutboxEntry] = []
        while case let page = try await self.entries(after: entries.last?.mutation.clientSeq ?? 0, limit: 1000),
            !page.isEmpty
        {
            entries += page
        }
        return entries
    }
}

public struct OutboxEntry: Codable, Sendable, Hashable, Identifiable {
    public enum State: String, Codable, Sendable, Hashable {
        case pending
        /// Sent, without a known result. It is sent again under the same id.
        case inflight
        /// Waits until a user resolves the conflict of its entity.
        case conflicted
        /// Refused by the server; it delays only its own entity.
        case rejected
    }

    public var id: String { mutation.id }
    public var mutation: Mutation
    public var state: State
    public var attempts: Int
    public var nextAttemptAt: Date?
    public var error: String?

    public init(mutation: Mutation, state: State, attempts: Int, nextAttemptAt: Date?, error: String?) {
        self.mutation = mutation
        self.state = state
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt
        self.error = error
    }
}

/// The conflicts that a user must resolve.
public protocol ConflictInbox: Sendable {
    func conflicts() async throws(DomainError) -> [SyncConflict]
    /// - Throws: `.notFound` for an id that is not open.
    func resolve(_ id: SyncConflict.ID, keeping side: SyncConflict.Side) async throws(DomainError)
}

/// One entity, edited on both sides: base, local and remote row, and the conflicting fields.
public struct SyncConflict: Codable, Sendable, Hashable, Identifiable {
    public enum Side: String, Codable, Sendable, Hashable, CaseIterable {
        case local, remote
    }

    public var id: String
    public var collection: String
    public var entityId: String
    public var fields: [String]
    /// The last row that both sides agreed on; `nil` when there was none.
    public var base: [String: JSONValue]?
    /// The local row; `nil` when deleted.
    public var local: [String: JSONValue]?
    /// The server's row; `nil` when deleted.
    public var remote: [String: JSONValue]?
    public var reason: String
    public var createdAt: Date

    public init(
        id: String, collection: String, entityId: String, fields: [String], base: [String: JSONValue]?,
        local: [String: JSONValue]?, remote: [String: JSONValue]?, reason: String, createdAt: Date
    ) {
        self.id = id
        self.collection = collection
        self.entityId = entityId
        self.fields = fields
        self.base = base
        self.local = local
        self.remote = remote
        self.reason = reason
        self.createdAt = createdAt
    }
}
