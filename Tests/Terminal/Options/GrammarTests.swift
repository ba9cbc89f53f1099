import ArgumentParser
import Testing

@testable import StrataTerminal

/// The commands of this module.
private struct Root: ParsableCommand {
    static let configuration = CommandConfiguration(
        subcommands: [SyncGroup.self, OutboxGroup.self, ConflictsGroup.self, CacheGroup.self])
}

struct GrammarTests {
    @Test(arguments: [
        "sync --watchful", "sync now later", "outbox show", "outbox show a b", "conflicts resolve c1",
        "conflicts resolve c1 --keep both", "conflicts resolve --keep local", "cache stats extra", "cache explain URL",
        "nonsense", "sync --color", "sync --timeout 0",
    ])
    func `an invalid command line of sync, outbox, conflicts or cache is a usage error`(line: String) {
        let error = #expect(throws: (any Error).self) {
            _ = try Root.parseAsRoot(line.split(separator: " ").map(String.init))
        }
        #expect(error.map { Root.exitCode(for: $0).rawValue } == ExitStatus.usage.rawValue)
    }
}
