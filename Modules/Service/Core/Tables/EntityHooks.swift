public import FoundationEssentials
public import StrataDomain

/// What a feature adds to the writes of its entity. REST and synchronisation call the same hooks; by default they do nothing.
///
/// ```swift
/// EntityTable<Team>(hooks: EntityHooks(beforeDelete: { team, transaction in try requireEmpty(team.id, in: transaction) }))
/// ```
public struct EntityHooks<Content: Entity>: Sendable {
    /// A new entity, or another content of one, before it is stored.
    public struct Write: Sendable {
        /// The id of the entity.
        public let id: Identifier<Content>
        /// The entity as it was written.
        public let content: Content
        /// `nil` for a new entity.
        public let old: Content?
        /// Who writes.
        public let caller: Principal
        /// When it was written.
        public let now: Date
    }

    /// An entity before it is deleted.
    public struct Deletion: Sendable {
        /// The id of the entity.
        public let id: Identifier<Content>
        /// The entity as it was.
        public let content: Content
        /// Who deletes.
        public let caller: Principal
    }

    /// Who may create entities by REST; synchronisation is for users.
    let creators: Access
    let mayCreate: @Sendable (Content, Principal) throws -> Void
    let check: @Sendable (Content, Set<String>, Date, inout FieldCheck) -> Void
    let beforeWrite: (@Sendable (Write, any StoreTransaction) throws -> Void)?
    let beforeDelete: (@Sendable (Deletion, any StoreTransaction) throws -> Void)?

    /// - Parameters:
    ///   - creators: Who may create entities by REST. Default: users.
    ///   - mayCreate: Refuses a new entity that its creator may not write, before its rules are checked. It throws `ServiceError`.
    ///   - check: Rules that need the time of the server; gets the names of the fields that are given.
    ///   - beforeWrite: Runs in the transaction of a write, after all checks. What it throws ends the transaction.
    ///   - beforeDelete: Runs in the transaction of a deletion. What it throws ends the transaction.
    public init(
        creators: Access = .users, mayCreate: @escaping @Sendable (Content, Principal) throws -> Void = { _, _ in },
        check:
            @escaping @Sendable (
                _ entity: Content, _ given: Set<String>, _ now: Date, _ check: inout FieldCheck
            ) -> Void = { _, _, _, _ in },
        beforeWrite: (@Sendable (Write, any StoreTransaction) throws -> Void)? = nil,
        beforeDelete: (@Sendable (Deletion, any StoreTransaction) throws -> Void)? = nil
    ) {
        (self.creators, self.mayCreate, self.check) = (creators, mayCreate, check)
        (self.beforeWrite, self.beforeDelete) = (beforeWrite, beforeDelete)
    }
}

extension NewEntityContext {
    init(_ caller: Principal, at now: Date) {
        if case .host(_, let name) = caller { self.init(now: now, host: name) } else { self.init(now: now, host: nil) }
    }
}
