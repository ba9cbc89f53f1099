import ArgumentParser
import StrataCaching
import StrataDomain
import StrataOffline
import StrataSystem
import StrataTerminal

/// The commands of an entity, by where it is read and written.
extension CommandSet {
    /// At the server.
    static func remote<Content: Entity>(_ group: any ParsableCommand.Type, _ entity: Content.Type) -> CommandSet {
        entities(group) { wiring, local in
            EntityUseCases(
                wiring.remote(entity, through: wiring.network.session), upkeep: wiring.onlineUpkeep,
                related: wiring.related(local))
        }
    }

    /// At the server, read through the cache.
    static func cached<Content: Entity>(_ group: any ParsableCommand.Type, _ entity: Content.Type) -> CommandSet {
        entities(group) { wiring, local in
            EntityUseCases(
                wiring.cached(entity, through: wiring.network.session), upkeep: wiring.onlineUpkeep,
                related: wiring.related(local))
        }
    }

    /// In the offline store, which is synchronised later.
    static func offline<Content: Entity>(_ group: any ParsableCommand.Type, _ entity: Content.Type) -> CommandSet {
        entities(group) { wiring, local throws(DomainError) -> EntityUseCases<Content> in
            let local = if let local { local } else { try await wiring.offline() }
            return EntityUseCases(
                wiring.repository(entity, local), upkeep: wiring.upkeep(local), related: wiring.related(local))
        }
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

extension Synchronised {
    /// The collection of an entity that works offline.
    static func entity<Content: Entity>(_ entity: Content.Type) -> Synchronised {
        Synchronised(collection: OfflineEntityRepository<Content>.collection, path: entity.path)
    }
}

extension Wiring {
    /// What fields of an entity refer to, by its row in `CommandSet.all`.
    ///
    /// - Parameter local: The offline store, if the command has opened it.
    func related(_ local: LocalData?) -> @Sendable (any Entity.Type) -> RelatedEntities? {
        { target in CommandSet.all.lazy.compactMap { $0.related[target.collection] }.first?(self, local) }
    }

    /// For lists of the server.
    fileprivate var onlineUpkeep: ListUpkeep { ListUpkeep(connectivity: { network.connectivity }) }

    /// For lists of the offline store: they are synchronised while they are followed, if the account may.
    func upkeep(_ offline: LocalData) -> ListUpkeep {
        var upkeep = onlineUpkeep
        if !settings.isOffline, account != nil { upkeep.work = { try await offline.watch { _ in } } }
        upkeep.status = { () async throws(DomainError) in try await offline.database.syncStatus() }
        upkeep.conflicts = offline.store
        return upkeep
    }

    /// The entities of the offline store.
    func repository<Content: Entity>(_ entity: Content.Type, _ offline: LocalData) -> OfflineEntityRepository<Content> {
        OfflineEntityRepository(
            offline.store, command: CommandSet.command(of: entity),
            sync: { () throws(DomainError) in _ = try await offline.engine.sync() }, settle: offline.settle)
    }

    fileprivate func remote<Content: Entity>(
        _ entity: Content.Type, through client: any APIClient
    ) -> RemoteEntityRepository<Content> {
        RemoteEntityRepository(client: client, command: CommandSet.command(of: entity), clock: network.clock)
    }

    /// The entities of the server, read through the cache of the profile.
    func cached<Content: Entity>(
        _ entity: Content.Type, through client: any APIClient
    ) -> CachedEntityRepository<Content> {
        CachedEntityRepository(
            remote: remote(entity, through: client), reader: caches.reader, principal: caches.principal)
    }
}
