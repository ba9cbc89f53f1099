public import ArgumentParser
public import StrataCaching
public import StrataDomain
public import StrataOffline
import StrataSystem
import StrataTerminal

/// The commands of an entity, by where it is read and written.
extension CommandSet {
    /// At the server.
    public static func remote<Content: Entity>(
        _ group: any ParsableCommand.Type, _ entity: Content.Type
    ) -> CommandSet {
        online(group, entity) { $0.remote(entity, through: $0.network.session) }
    }

    /// At the server, read through the cache.
    public static func cached<Content: Entity>(
        _ group: any ParsableCommand.Type, _ entity: Content.Type
    ) -> CommandSet {
        online(group, entity) { $0.cached(entity, through: $0.network.session) }
    }

    /// In the offline store, which is synchronised later.
    public static func offline<Content: Entity>(
        _ group: any ParsableCommand.Type, _ entity: Content.Type
    ) -> CommandSet {
        entities(group) { wiring, local throws(DomainError) -> EntityUseCases<Content> in
            let local = if let local { local } else { try await wiring.offline() }
            return EntityUseCases(
                wiring.repository(entity, local), upkeep: wiring.upkeep(entity, local), related: wiring.related(local))
        }
    }

    /// Writes go straight to the server and are noted for `undo`.
    private static func online<Content: Entity>(
        _ group: any ParsableCommand.Type, _ entity: Content.Type,
        _ repository: @escaping @Sendable (Wiring) -> any EntityRepository<Content>
    ) -> CommandSet {
        var set = entities(group) { wiring, local throws(DomainError) -> EntityUseCases<Content> in
            var entities = EntityUseCases(
                repository(wiring), upkeep: wiring.onlineUpkeep(entity), related: wiring.related(local))
            entities.noteWrite = wiring.note
            return entities
        }
        let takeBack: TakeBack = { try await $0.takeBack($1, EntityUseCases(repository($0))) }
        set.takesBack = [Content.collection: takeBack]
        return set
    }

    private static func entities<Content: Entity>(
        _ group: any ParsableCommand.Type,
        _ make: @escaping @Sendable (Wiring, LocalData?) async throws(DomainError) -> EntityUseCases<Content>
    ) -> CommandSet {
        let source: RelatedSource = { wiring, local in
            RelatedEntities { () throws(DomainError) in try await make(wiring, local) }
        }
        return CommandSet([group], related: [Content.collection: source]) { command, wiring, console in
            try await command.run(with: make(wiring, nil), console)
        }
    }

    fileprivate static func command<Content: Entity>(of entity: Content.Type) -> String {
        "\(ProgramName.current) \(entity.commandName)"
    }
}

extension Wiring {
    /// What fields of an entity refer to, by its row among the commands of the program.
    ///
    /// - Parameter local: The offline store, if the command has opened it.
    public func related(_ local: LocalData?) -> @Sendable (any Entity.Type) -> RelatedEntities? {
        { target in settings.program.commands.lazy.compactMap { $0.related[target.collection] }.first?(self, local) }
    }

    /// For lists of the server.
    fileprivate func onlineUpkeep<Content: Entity>(_ entity: Content.Type) -> ListUpkeep {
        var upkeep = ListUpkeep(connectivity: { network.connectivity })
        if entity.recordsChanges {
            upkeep.details = { id throws(DomainError) in try await changes(of: Identifier<Content>(id)) }
        }
        return upkeep
    }

    /// Who changed an entity and when, the newest ten, for a view of it. Nothing for one that the server does not have yet.
    public func changes<Content: Entity>(of id: Identifier<Content>) async throws(DomainError) -> [EntityDetail] {
        if let obstacle { return [EntityDetail("changes", [obstacle])] }
        do throws(DomainError) {
            let changes = try await remote(Content.self, through: network.session).changes(of: id, limit: 10)
            return [EntityDetail("changes", changes.map { $0.line(of: Content.self, console.times) })]
        } catch {
            guard error.kind == .notFound else { throw error }
            return []
        }
    }

    /// Why what only the server has cannot be read now; `nil` when it can.
    public var obstacle: String? {
        let reason = settings.isOffline ? "not with --offline" : account == nil ? "not without a login" : nil
        return reason.map { "They are read from the server: \($0)." }
    }

    /// For lists of the offline store: they are synchronised while they are followed, if the account may.
    public func upkeep<Content: Entity>(_ entity: Content.Type, _ offline: LocalData) -> ListUpkeep {
        var upkeep = onlineUpkeep(entity)
        if !settings.isOffline, account != nil {
            upkeep.work = { try await offline.watch { _ in } }
            upkeep.refresh = offline.refresh
        } else {
            let reason = "the server is not asked \(settings.isOffline ? "with --offline" : "without a login")."
            upkeep.refresh = { () throws(DomainError) in throw .unavailable(reason) }
        }
        upkeep.status = { () async throws(DomainError) in try await offline.database.syncStatus() }
        upkeep.conflicts = offline.store
        return upkeep
    }

    /// The entities of the offline store.
    public func repository<Content: Entity>(
        _ entity: Content.Type, _ offline: LocalData
    ) -> OfflineEntityRepository<Content> {
        OfflineEntityRepository(
            offline.store, command: CommandSet.command(of: entity),
            sync: { () throws(DomainError) in _ = try await offline.engine.sync() }, settle: offline.settle)
    }

    fileprivate func takeBack<Content: Entity>(
        _ write: OnlineWrite, _ entities: EntityUseCases<Content>
    ) async throws(DomainError) -> UndoneWrite {
        try await entities.takeBack(write, at: remote(Content.self, through: network.session))
    }

    fileprivate func remote<Content: Entity>(
        _ entity: Content.Type, through client: any APIClient
    ) -> RemoteEntityRepository<Content> {
        RemoteEntityRepository(client: client, command: CommandSet.command(of: entity), clock: network.clock)
    }

    /// The entities of the offline store where the program synchronises them, else those of the server; for a command about rows that
    /// belong to them.
    ///
    /// - Returns: The entities, and what lets unsent ones reach the server within a short time.
    public func entities<Content: Entity>(
        _ entity: Content.Type
    ) async throws(DomainError) -> (entities: EntityUseCases<Content>, settle: @Sendable () async -> Void) {
        guard settings.program.synchronised.contains(where: { $0.path == entity.path }) else {
            return (EntityUseCases(remote(entity, through: network.session)), {})
        }
        let local = try await offline()
        return (EntityUseCases(repository(entity, local)), local.settle)
    }

    /// The entities of the server, read through the cache of the profile.
    public func cached<Content: Entity>(
        _ entity: Content.Type, through client: any APIClient
    ) -> CachedEntityRepository<Content> {
        CachedEntityRepository(
            remote: remote(entity, through: client), reader: caches.reader, principal: caches.principal)
    }
}
