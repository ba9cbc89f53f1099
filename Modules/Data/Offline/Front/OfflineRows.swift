public import FoundationEssentials
public import GRDB
import StrataConcurrency
public import StrataDomain

/// One collection of an `Offline` store, by its rows. Nothing here waits for the network.
public struct OfflineRows<Row: OfflineRow>: Sendable {
    let offline: Offline

    init(_ offline: Offline) { self.offline = offline }

    private var name: String { Row.collectionName }

    // MARK: - Reading

    /// The rows of a request now, and again after each change of them.
    ///
    /// A write of this process is seen at once, one of another process within a second. An element equals none before it.
    ///
    /// - Parameter request: Default: all, by id.
    public func rows(
        _ request: @escaping @Sendable (QueryInterfaceRequest<Row>) -> QueryInterfaceRequest<Row> = {
            $0.order(Column("id"))
        }
    ) -> AsyncThrowingStream<[Row], any Error> where Row: Equatable {
        values { try request(Row.all()).fetchAll($0) }
    }

    /// What `read` returns now, and again after each change of the collection; equal values are left out.
    func values<Value: Equatable & Sendable>(
        _ read: @escaping @Sendable (Database) throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Value.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
        let task = Task { [offline, name] in
            do {
                let store = try await offline.store()
                var last: Value?
                for await _ in store.changes(in: name) {
                    let value = try await store.read(read)
                    if value != last { continuation.yield(value) }
                    last = value
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Reads from one consistent state of the database, other tables too.
    public func read<Value: Sendable>(
        _ work: @Sendable (Database) throws -> Value
    ) async throws(DomainError) -> Value {
        try await offline.store().read(work)
    }

    // MARK: - Writing

    /// Stores a new row and queues it.
    ///
    /// - Parameters:
    ///   - fields: Keys as on the wire. References are local ids.
    ///   - id: Default: a new one. It stays the row's id here; the server may give another one.
    /// - Throws: `.validation` when the fields make no row.
    @discardableResult
    public func create(
        _ fields: [String: JSONValue], id: String? = nil
    ) async throws(DomainError) -> String {
        let parts = try await offline.parts()
        let id = id ?? parts.random.id(at: parts.wallClock.now)
        try await parts.store.create(name, id, fields)
        return id
    }

    /// Queues the fields that differ; `null` takes one away.
    ///
    /// - Throws: `.notFound` when no row has this id.
    public func update(_ id: String, _ fields: [String: JSONValue]) async throws(DomainError) {
        try await offline.store().patch(name, id, fields)
    }

    /// Removes a row and queues the removal. A row that was never sent goes without a request.
    ///
    /// - Throws: `.notFound` when no row has this id.
    public func delete(_ id: String) async throws(DomainError) { try await offline.store().delete(name, id) }

    /// Queues rows of the table that are not the engine's: those that stood there before it.
    ///
    /// Synchronise once before, so that rows which the server has are known by their ids.
    ///
    /// - Parameter fields: The fields of a row, keys as on the wire; `nil` leaves it alone.
    /// - Returns: The ids of the rows that are queued now.
    @discardableResult
    public func adopt(
        _ fields: @escaping @Sendable (Row) -> [String: JSONValue]?
    ) async throws(DomainError) -> [String] {
        let name = name
        return try await offline.store().access { access in
            var (seq, adopted) = (try access.nextSeq(), [String]())
            for row in try Row.fetchAll(access.tables.db) {
                let id: String = try row.databaseDictionary["id"].flatMap(String.fromDatabaseValue) ?? ""
                let key = EntityKey(collection: name, id: id)
                guard !id.isEmpty, try !access.tables.isKnown(key), let fields = fields(row) else { continue }
                let old = EntityState(key: key)
                let create = LocalWrite(operation: .create, fields: fields)
                try access.persist(
                    try create.planned(on: old, seq: seq, access.context(name)), over: old, isLocal: true)
                adopted.append(id)
                seq += 1
            }
            return adopted
        }
    }

    // MARK: - What waits for the server or for a user

    /// Writes that the server does not have, oldest first: those that wait, and those that were refused, with the reason.
    public var unsent: [OutboxEntry] {
        get async throws(DomainError) {
            try await offline.store().entries().filter { $0.mutation.collection == name }
        }
    }

    /// Rows that were changed here and on the server so that only a user can decide.
    public var conflicts: [SyncConflict] {
        get async throws(DomainError) { try await offline.store().conflicts().filter { $0.collection == name } }
    }

    /// Ends a conflict: the local side is sent on top of the server's, or dropped.
    ///
    /// - Throws: `.notFound` for an id that is not open.
    public func keep(_ side: SyncConflict.Side, in conflict: SyncConflict.ID) async throws(DomainError) {
        try await offline.store().resolve(conflict, keeping: side)
    }

    /// Sends a refused or waiting write with the next run.
    ///
    /// - Throws: `.notFound` for an unknown id, `.conflict` for a write whose conflict is open.
    public func retry(_ write: Mutation.ID) async throws(DomainError) { try await offline.store().retry(write) }

    /// Drops a write and the later ones of its row.
    ///
    /// - Throws: `.notFound` for an unknown id.
    public func discard(_ write: Mutation.ID) async throws(DomainError) { try await offline.store().discard(write) }

    /// The ids of rows that the last complete list did not have, and that are too many to be deleted without asking.
    public var heldDeletions: [String] {
        get async throws(DomainError) {
            let name = name
            return try await offline.store().read { db in
                try RemoteTables(db: db).links(of: name).filter(\.isMissing).map(\.entityID).sorted()
            }
        }
    }

    /// Deletes the held rows here. Those with unsent writes become conflicts.
    ///
    /// - Returns: How many there were.
    @discardableResult
    public func confirmDeletions() async throws(DomainError) -> Int {
        let name = name
        return try await offline.store().access { access in
            let held = try access.remotes.links(of: name).filter(\.isMissing)
            for link in held { _ = try access.takeDeletion(of: link.remoteID, in: name) }
            return held.count
        }
    }

    // MARK: - The server's side

    /// The id of a row at the server; `nil` before it is there.
    public func remoteID(of id: String) async throws(DomainError) -> RemoteID? {
        let key = EntityKey(collection: name, id: id)
        return try await offline.store().read { try RemoteTables(db: $0).link(key)?.remoteID }
    }

    /// The local id of a row of the server; `nil` for one that was not fetched.
    public func localID(of id: RemoteID) async throws(DomainError) -> String? {
        let name = name
        return try await offline.store().read { try RemoteTables(db: $0).link(of: id, in: name)?.entityID }
    }

    /// When the collection was last read to its end; `nil` before.
    public var asOf: Date? {
        get async throws(DomainError) {
            let name = name
            return try await offline.store().read { try RemoteTables(db: $0).place(of: name).pulledAt }
        }
    }

    /// Makes the next pull start there: everything again, a time of the server, or a cursor. No local row or write changes.
    public func reset(to start: PullPoint.Start) async throws(DomainError) {
        let (name, checkpoint): (String, String?) =
            switch start {
            case .everything: (name, nil)
            case .since(let date): (name, String(date.milliseconds))
            case .cursor(let cursor): (name, cursor)
            }
        try await offline.store().access { access in
            var place = try access.remotes.place(of: name)
            place.checkpoint = checkpoint
            if start == .everything {
                place.listedAt = nil
                try access.remotes.forgetRevisions(of: name)
            }
            try access.remotes.set(place, of: name)
        }
    }
}
