import StrataTerminal

/// The commands that belong to no feature. A program has those in its list.
extension CommandSet {
    /// `sync`, `outbox`, `conflicts` and `undo`. Where nothing works offline the first three say so.
    public static let sync = CommandSet([SyncGroup.self, OutboxGroup.self, ConflictsGroup.self, UndoCommand.self]) {
        command, wiring, console in
        if wiring.settings.program.synchronised.isEmpty, !(command is UndoCommand) {
            return try tellNothingOffline(console)
        }
        try await command.run(with: wiring.offline().tools, console)
    }

    /// `request` and `fetch`: any URL, with the session's token for the server.
    public static let request = CommandSet([RequestCommand.self, FetchCommand.self]) {
        try await $1.requests().run($0, $2)
    }

    /// `cache`: what the caches of the profile have.
    public static let cache = CommandSet(CacheGroup.self) { $0.caches.tools }

    /// `cache-proxy`: the HTTP cache between a server and an origin.
    public static let cacheProxy = CommandSet(CacheProxyCommand.self) { ProxyTools(serve: $0.proxy.serve) }

    /// `config`: the settings in the file.
    public static let config = CommandSet(ConfigGroup.self) { $0.settings.config }

    /// `status` and `doctor`: the account, the server and the stored data.
    public static let status = CommandSet(StatusCommand.self, DoctorCommand.self) { $0.status }

    private static func tellNothingOffline(_ console: Console) throws {
        let text = StatusTools.nothingOffline
        try console.show(["message": text]) { console.out(text) }
    }
}
