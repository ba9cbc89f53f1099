public import FoundationEssentials

/// Brings what was written here to the server, and what changed there here. Local reads and writes never wait for it.
public protocol SyncService: Sendable {
    /// Pushes what is queued, then pulls until there is nothing newer.
    ///
    /// - Throws: `.unavailable` or `.busy` when the server cannot be reached, `.unauthorized` when the session ended;
    ///   what is queued stays queued.
    func sync() async throws(DomainError) -> SyncReport
    func status() async throws(DomainError) -> SyncStatus
}

/// What one run of the engine did.
public struct SyncReport: Codable, Sendable, Hashable {
    public var pushed = 0
    public var pulled = 0
    /// Edits put on top of a newer row without asking anybody.
    public var merged = 0
    public var conflicts = 0
    public var rejected = 0

    public init() {}

    /// For programs, with the words that the command line has for people.
    private enum CodingKeys: String, CodingKey {
        case pushed = "sent"
        case pulled = "received"
        case merged, conflicts, rejected
    }
}

/// How far this store is behind, as far as it can tell without asking.
public struct SyncStatus: Codable, Sendable, Hashable {
    public var pending: Int
    public var rejected: Int
    public var conflicts: Int
    public var lastSyncedAt: Date?

    public init(pending: Int, rejected: Int, conflicts: Int, lastSyncedAt: Date?) {
        self.pending = pending
        self.rejected = rejected
        self.conflicts = conflicts
        self.lastSyncedAt = lastSyncedAt
    }
}

/// The queue of local writes, for people.
public protocol Outbox: Sendable {
    /// A page of the queue, oldest first: it may be longer than memory.
    ///
    /// - Parameters:
    ///   - position: Of the last entry before the page, its `mutation.clientSeq`; 0 for the first page.
    ///   - limit: Entries to return at most, 1 or more.
    func entries(after position: Int, limit: Int) async throws(DomainError) -> [OutboxEntry]
    /// Ids of entries that end or begin with `part`; a few more than one are enough to tell that it is not exact.
    func ids(with part: String) async throws(DomainError) -> [Mutation.ID]
    /// Puts a rejected or waiting entry back at the front of its lane, to be sent at once.
    func retry(_ id: Mutation.ID) async throws(DomainError)
    /// Forgets an entry and takes its effect back out of the local row.
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
        /// Sent; the answer is not known yet. It is sent again under the same id.
        case inflight
        /// Waits until a person resolves the conflict of its entity.
        case conflicted
        /// Refused by the server for good; delays only its own entity.
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

/// Edits that could not be merged and wait for a person.
public protocol ConflictInbox: Sendable {
    func conflicts() async throws(DomainError) -> [SyncConflict]
    /// - Throws: `.notFound` for an id that is not open.
    func resolve(_ id: SyncConflict.ID, keeping side: SyncConflict.Side) async throws(DomainError)
}

/// One entity, edited on both sides: the three states and the fields in dispute.
public struct SyncConflict: Codable, Sendable, Hashable, Identifiable {
    public enum Side: String, Codable, Sendable, Hashable, CaseIterable {
        case local, remote
    }

    public var id: String
    public var collection: String
    public var entityId: String
    public var fields: [String]
    /// The row as both sides last agreed on it; `nil` when it was unknown here.
    public var base: [String: JSONValue]?
    /// The row as it is here; `nil` when deleted here.
    public var local: [String: JSONValue]?
    /// The row as the server has it; `nil` when deleted there.
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
