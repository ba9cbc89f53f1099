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
        CommandSet(group) { EntityUseCases($0.remote(entity, through: $0.network.session), upkeep: $0.onlineUpkeep) }
    }

    /// At the server, read through the cache.
    static func cached<Content: Entity>(_ group: any ParsableCommand.Type, _ entity: Content.Type) -> CommandSet {
        CommandSet(group) { EntityUseCases($0.cached(entity, through: $0.network.session), upkeep: $0.onlineUpkeep) }
    }

    /// In the offline store, which is synchronised later.
    static func offline<Content: Entity>(_ group: any ParsableCommand.Type, _ entity: Content.Type) -> CommandSet {
        CommandSet(group) { wiring in
            let offline = try await wiring.offline()
            return EntityUseCases(wiring.repository(entity, offline), upkeep: wiring.upkeep(offline))
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
    /// For lists of the server.
    fileprivate var onlineUpkeep: ListUpkeep { ListUpkeep(connectivity: { network.connectivity }) }

    /// For lists of the offline store: they are synchronised while they are followed, if the account may.
    func upkeep(_ offline: LocalData) -> ListUpkeep {
        guard !settings.isOffline, account != nil else { return onlineUpkeep }
        return ListUpkeep(connectivity: { network.connectivity }) { try await offline.watch { _ in } }
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
