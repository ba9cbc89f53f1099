import ArgumentParser
import StrataDomain
import Testing

@testable import StrataTerminal

/// The commands of this module.
private struct Root: ParsableCommand {
    static let configuration = CommandConfiguration(
        subcommands: [SyncGroup.self, OutboxGroup.self, ConflictsGroup.self, CacheGroup.self])
}

struct GrammarTests {
    private func parse<Command: ParsableCommand>(_ line: String, as type: Command.Type) throws -> Command {
        try #require(try Root.parseAsRoot(line.split(separator: " ").map(String.init)) as? Command)
    }

    @Test func `sync synchronises, once or until interrupted`() throws {
        #expect(try parse("sync", as: SyncNowCommand.self).watch == false)
        #expect(try parse("sync --watch", as: SyncNowCommand.self).watch)
        #expect(try parse("sync --json", as: SyncNowCommand.self).options.json)
        _ = try parse("sync status --json", as: SyncStatusCommand.self)
    }

    @Test func `the outbox is listed, shown, retried and discarded`() throws {
        _ = try parse("outbox list", as: OutboxListCommand.self)
        #expect(try parse("outbox show m1", as: OutboxShowCommand.self).choice.id == "m1")
        #expect(try parse("outbox retry m1", as: OutboxRetryCommand.self).choice.id == "m1")
        #expect(try parse("outbox discard m1 --json", as: OutboxDiscardCommand.self).options.json)
    }

    @Test func `a conflict is resolved for one side`() throws {
        _ = try parse("conflicts list", as: ConflictListCommand.self)
        #expect(try parse("conflicts show c1", as: ConflictShowCommand.self).choice.id == "c1")
        #expect(try parse("conflicts resolve c1 --keep local", as: ConflictResolveCommand.self).keep == .local)
        #expect(try parse("conflicts resolve --keep remote c1", as: ConflictResolveCommand.self).keep == .remote)
    }

    @Test func `the cache is counted and cleared`() throws {
        _ = try parse("cache stats", as: CacheStatsCommand.self)
        _ = try parse("cache clear", as: CacheClearCommand.self)
    }

    @Test(arguments: [
        "sync --watchful", "sync now later", "outbox show", "outbox show a b", "conflicts resolve c1",
        "conflicts resolve c1 --keep both", "conflicts resolve --keep local", "cache stats extra", "cache explain URL",
        "nonsense", "sync --color", "sync --timeout 0",
    ])
    func `an invalid command line is a usage error`(line: String) {
        let error = #expect(throws: (any Error).self) {
            _ = try Root.parseAsRoot(line.split(separator: " ").map(String.init))
        }
        #expect(error.map { Root.exitCode(for: $0).rawValue } == ExitStatus.usage.rawValue)
    }
}
