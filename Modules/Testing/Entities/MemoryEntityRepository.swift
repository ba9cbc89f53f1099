public import FoundationEssentials
import StrataConcurrency
public import StrataDomain

/// The entities of a server in memory. `EntityRepositoryContractTests` compares it with the repositories of the programs.
public final class MemoryEntityRepository<Content: Entity>: EntityRepository {
    /// What a test sets and reads.
    public struct State: Sendable {
        /// What the server has, in the order of its lists.
        public var items: [Stored<Content>] = []
        /// The error of every call; `nil` for none.
        public var failure: DomainError?
        /// Of each list and get, in order.
        public var policies: [ReadPolicy] = []
        /// Of each list, in order.
        public var queries: [EntityQuery<Content>] = []
        /// Runs in each list, after its items are settled, with the number of the read from 1.
        public var duringRead: @Sendable (Int) async -> Void = { _ in }
        /// Where lists and entities seem to come from.
        public var origin = SnapshotOrigin.server
        /// The state of what is written from now on.
        public var syncState = SyncState.synced
        fileprivate var created = 0
    }

    private let state: Mutex<State>
    private let prefix: String
    private let command: String
    private let time: Date

    /// - Parameters:
    ///   - prefix: Begins the ids of created entities: `made-1`, `made-2`.
    ///   - command: The command that lists the entities, for error texts. Default: the group of its commands.
    ///   - time: Of created and updated entities.
    public init(
        _ items: [Stored<Content>] = [], prefix: String = "made", command: String = Content.commandName,
        time: Date = .noon
    ) {
        state = Mutex(State(items: items))
        (self.prefix, self.command, self.time) = (prefix, command, time)
    }

    /// The state now.
    public var current: State { state.withLock { $0 } }
    /// Changes the state in one step.
    public func change(_ edit: (inout State) -> Void) { state.withLock { edit(&$0) } }

    public func list(
        _ query: EntityQuery<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<[Stored<Content>]> {
        let now = state.withLock { state in
            state.policies.append(policy)
            state.queries.append(query)
            return state
        }
        if let failure = now.failure { throw failure }
        let query = try query.validated()
        await now.duringRead(now.policies.count)
        return Snapshot(query.entities(of: now.items), now.origin)
    }

    public func get(
        _ id: Identifier<Content>, _ policy: ReadPolicy
    ) async throws(DomainError) -> Snapshot<Stored<Content>> {
        change { $0.policies.append(policy) }
        return Snapshot(try current.item(id, command), current.origin)
    }

    public func storedIDs(with part: String) async throws(DomainError) -> [Identifier<Content>] {
        let now = current
        guard now.origin != .server else { return [] }
        return now.items.map(\.id).filter { $0.rawValue.hasPrefix(part) || $0.rawValue.hasSuffix(part) }
    }

    public func create(_ content: Content) async throws(DomainError) -> Stored<Content> {
        try writing { state throws(DomainError) in
            let taken = Set(state.items.map(\.id.rawValue))
            repeat { state.created += 1 } while taken.contains("\(prefix)-\(state.created)")
            let item = Stored(
                id: Identifier<Content>("\(prefix)-\(state.created)"), content, version: 1, updatedAt: time,
                syncState: state.syncState)
            state.items.append(item)
            return item
        }
    }

    public func update(
        _ id: Identifier<Content>, to content: Content, basedOn version: Int
    ) async throws(DomainError) -> Stored<Content> {
        try writing { state throws(DomainError) in
            var item = try state.item(id, basedOn: version, command)
            (item.content, item.version, item.updatedAt) = (content, version + 1, time)
            item.syncState = state.syncState
            state.items = state.items.map { $0.id == id ? item : $0 }
            return item
        }
    }

    public func delete(_ id: Identifier<Content>, basedOn version: Int) async throws(DomainError) {
        try writing { state throws(DomainError) in
            _ = try state.item(id, basedOn: version, command)
            state.items.removeAll { $0.id == id }
        }
    }

    /// One element; changes are not observed, as at a server.
    public func changes(of query: EntityQuery<Content>) -> AsyncStream<Void> {
        AsyncStream { continuation in
            continuation.yield()
            continuation.finish()
        }
    }

    private func writing<Result: Sendable>(
        _ write: (inout State) throws(DomainError) -> Result
    ) throws(DomainError) -> Result {
        let result = state.withLock { state -> Swift.Result<Result, DomainError> in
            if let failure = state.failure { return .failure(failure) }
            do throws(DomainError) { return .success(try write(&state)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}

extension MemoryEntityRepository.State {
    fileprivate func item(_ id: Identifier<Content>, _ command: String) throws(DomainError) -> Stored<Content> {
        if let failure { throw failure }
        guard let item = items.first(where: { $0.id == id }) else {
            throw DomainError(NetworkError(.notFound(nil)), about: id, command: command)
        }
        return item
    }

    fileprivate func item(
        _ id: Identifier<Content>, basedOn version: Int, _ command: String
    ) throws(DomainError) -> Stored<Content> {
        let item = try item(id, command)
        guard item.version == version else {
            let problem = Problem(title: "Conflict", status: 412, code: "version_mismatch")
            throw DomainError(NetworkError(.conflict(problem)), about: id, command: command, isWrite: true)
        }
        return item
    }
}
