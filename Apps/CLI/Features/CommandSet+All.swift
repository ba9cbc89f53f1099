// scaffold:begin imports
import StrataTerminal

// scaffold:end imports

extension CommandSet {
    /// All commands with their tools, in the order of the help.
    static let all: [CommandSet] = [
        // scaffold:begin features
        .accounts,
        .attachments,
        .journal,
        .runbooks,
        // scaffold:end features
        CommandSet([SyncGroup.self, OutboxGroup.self, ConflictsGroup.self, UndoCommand.self]) {
            command, wiring, console in
            guard !Synchronised.all.isEmpty else { return try Synchronised.tellNone(console) }
            try await command.run(with: wiring.offline().tools, console)
        },
        CommandSet([RequestCommand.self, FetchCommand.self]) { try await $1.requests().run($0, $2) },
        CommandSet(CacheGroup.self) { $0.caches.tools },
        CommandSet(CacheProxyCommand.self) { ProxyTools(serve: $0.proxy.serve) },
        CommandSet(ConfigGroup.self) { $0.settings.config },
        CommandSet(StatusCommand.self, DoctorCommand.self) { $0.status },
    ]
}
