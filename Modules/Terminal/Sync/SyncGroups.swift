public import ArgumentParser

/// `sync`: without a subcommand it synchronises.
public struct SyncGroup: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Send local writes and fetch changes from the server.",
        subcommands: [SyncNowCommand.self, SyncStatusCommand.self], defaultSubcommand: SyncNowCommand.self)
    public init() {}
}

/// `outbox`: writes on their way to the server.
public struct OutboxGroup: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "List, retry or discard unsent writes.",
        subcommands: [
            ResourceListCommand<OutboxRow>.self, OutboxShowCommand.self, OutboxRetryCommand.self,
            OutboxDiscardCommand.self, ResourceExportCommand<OutboxRow>.self,
        ])
    public init() {}
}

/// `conflicts`: edits on both sides that a user must resolve.
public struct ConflictsGroup: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "conflicts", abstract: "Resolve edits made both here and on the server.",
        subcommands: [
            ResourceListCommand<ConflictRow>.self, ConflictShowCommand.self, ConflictResolveCommand.self,
            ResourceExportCommand<ConflictRow>.self,
        ])
    public init() {}
}
