public import FoundationEssentials

/// Sends local writes to the server and stores its changes. Local reads and writes never wait for it.
public protocol SyncService: Sendable {
    /// Pushes the outbox, then pulls all changes.
    ///
    /// - Throws: `.unavailable` or `.busy` when the server cannot be reached, `.unauthorized` when the session ended;
    ///   the outbox keeps its writes.
    func sync() async throws(DomainError) -> SyncReport
    /// What waits, what failed, and when the last synchronisation ended.
    func status() async throws(DomainError) -> SyncStatus
}

/// The result of one sync run.
public struct SyncReport: Codable, Sendable, Hashable {
    /// Writes that the server has taken.
    public var pushed = 0
    /// Changes that were read from the server.
    public var pulled = 0
    /// Edits merged into a newer row without a conflict.
    public var merged = 0
    /// Rows that both sides changed, for a user to settle.
    public var conflicts = 0
    /// Writes that the server refused for good.
    public var rejected = 0

    /// A report of nothing.
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
    /// Writes that were not sent yet.
    public var pending: Int
    /// Writes that the server refused for good.
    public var rejected: Int
    /// Rows that both sides changed, for a user to settle.
    public var conflicts: Int
    /// When the last synchronisation ended well; `nil` before the first.
    public var lastSyncedAt: Date?
    /// Rows that this version of the program cannot show as the server has them. Default: 0.
    public var hidden = 0

    /// The state of a local store.
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

/// A write that the server has not taken yet.
public struct OutboxEntry: Codable, Sendable, Hashable, Identifiable {
    /// Whether the write will be sent.
    public enum State: String, Codable, Sendable, Hashable {
        /// It will be sent.
        case pending
        /// Sent, without a known result. It is sent again under the same id.
        case inflight
        /// Waits until a user resolves the conflict of its entity.
        case conflicted
        /// Refused by the server; it delays only its own entity.
        case rejected
    }

    public var id: String { mutation.id }
    /// The write.
    public var mutation: Mutation
    /// Whether it will be sent.
    public var state: State
    /// How often it was sent.
    public var attempts: Int
    /// When it is sent again; `nil` for at once.
    public var nextAttemptAt: Date?
    /// Why the last attempt failed, for people; `nil` before one failed.
    public var error: String?

    /// A write in the outbox.
    public init(mutation: Mutation, state: State, attempts: Int, nextAttemptAt: Date?, error: String?) {
        self.mutation = mutation
        self.state = state
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt
        self.error = error
    }
}

/// Takes back the last write of this machine.
public protocol WriteUndo: Sendable {
    /// - Throws: `.notFound` when there is none; `.conflict` when its row was changed since, or it cannot be taken back.
    func undo() async throws(DomainError) -> UndoneWrite
}

/// A write that was taken back.
public struct UndoneWrite: Sendable, Hashable {
    /// How a write was taken back.
    public enum Outcome: Sendable, Hashable {
        /// It had not been sent, and will not be.
        case removedFromOutbox
        /// The inverse waits to be sent.
        case inverseQueued
        /// The server has made the inverse.
        case inverseSent
        /// The server does not take the id of a deleted row again, so the row has this one.
        case createdAgain(id: String)
    }

    /// What the write had done.
    public var operation: Mutation.Operation
    /// The collection of the row.
    public var collection: String
    /// The id of the row.
    public var entityId: String
    /// How it was taken back.
    public var outcome: Outcome

    /// A write to a row, and how it was taken back.
    public init(_ operation: Mutation.Operation, _ collection: String, _ entityId: String, outcome: Outcome) {
        (self.operation, self.collection, self.entityId, self.outcome) = (operation, collection, entityId, outcome)
    }

    /// What was undone, for a sentence: `the edit of '9f2c41d' in notes`.
    package var name: String { "\(operation.phrase) of '\(entityId)' in \(collection)" }
}

/// The conflicts that a user must resolve.
public protocol ConflictInbox: Sendable {
    /// The conflicts that a user has to settle.
    func conflicts() async throws(DomainError) -> [SyncConflict]
    /// - Throws: `.notFound` for an id that is not open.
    func resolve(_ id: SyncConflict.ID, keeping side: SyncConflict.Side) async throws(DomainError)
}

/// One entity, edited on both sides: base, local and remote row, and the conflicting fields.
public struct SyncConflict: Codable, Sendable, Hashable, Identifiable {
    /// One of the two sides.
    public enum Side: String, Codable, Sendable, Hashable, CaseIterable {
        /// What was written here, or what the server has.
        case local, remote
    }

    public var id: String
    /// The name of the collection.
    public var collection: String
    /// The id of the row.
    public var entityId: String
    /// The fields that both sides changed.
    public var fields: [String]
    /// The last row that both sides agreed on; `nil` when there was none.
    public var base: [String: JSONValue]?
    /// The local row; `nil` when deleted.
    public var local: [String: JSONValue]?
    /// The server's row; `nil` when deleted.
    public var remote: [String: JSONValue]?
    /// Why it cannot be merged, for people.
    public var reason: String
    /// When the conflict was found.
    public var createdAt: Date

    /// A row that both sides changed.
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
