import Foundation
import GRDB
import Testing

/// The same work by two homes and a server, whatever their clocks show.
@Suite(.serialized) struct `Wrong wall clocks` {
    private static let decade = 10 * 365 * 24 * 3600

    struct Clocks: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var first: Faults.Clock?
        var second: Faults.Clock?
        /// From the middle of the work on.
        var server: Faults.Clock?
    }

    @Test(arguments: [
        Clocks(
            testDescription: "ten years ahead, ten years behind, the server put back an hour",
            first: .off(seconds: decade), second: .off(seconds: -decade), server: .off(seconds: -3600)),
        Clocks(
            testDescription: "frozen, jumping by days, the server put back an hour", first: .frozen(at: 1_500_000_000),
            second: .jumping(seconds: 3 * 24 * 3600), server: .off(seconds: -3600)),
        Clocks(
            testDescription: "jumping by ten years, frozen in 2055, the server frozen",
            first: .jumping(seconds: decade),
            second: .frozen(at: 2_700_000_000), server: .frozen(at: 1_700_000_000)),
    ])
    func `wrong wall clocks do not change the rows that both sides have in the end`(clocks: Clocks) async throws {
        let perfect = try await work(Clocks(testDescription: "perfect"))
        let wrong = try await work(clocks)
        #expect(!perfect.isEmpty)
        #expect(wrong == perfect)
    }

    /// All rows of the server after the work, without ids, which are random; both homes have the same.
    private func work(_ clocks: Clocks) async throws -> [String] {
        let workspace = try Workspace()
        var server = try await workspace.startServer()
        defer { server.program.signal(SIGKILL) }
        try await workspace.loginPatiently(home: "first", server: server)
        try await workspace.loginPatiently(home: "second", server: server)
        let sides = ["first": clocks.first, "second": clocks.second]
        func run(_ home: String, _ arguments: [String]) async throws -> String {
            let variables = try Faults(clock: sides[home] ?? nil).variables()
            let outcome = try await workspace.start(
                "shiftlog", arguments, home: home, server: server, variables: variables
            ).outcome()
            try require([0, 65].contains(outcome.status), "\(home) \(arguments): \(outcome.err)")
            return outcome.out
        }
        // Before every clock here: what lies more than a day ahead is refused.
        func add(_ home: String, _ text: String, _ options: String...) async throws -> String {
            struct Entry: Decodable { let id: String }
            let out = try await run(
                home, ["journal", "add", text, "--host", "web1", "--at", "2005-01-01T09:00:00Z", "--json"] + options)
            return try JSONDecoder().decode(Entry.self, from: Data(out.utf8)).id
        }

        let one = try await add("first", "one")
        let two = try await add("first", "two")
        _ = try await run("second", ["sync"])
        // Different fields merge.
        _ = try await run("second", ["journal", "edit", one, "--severity", "critical", "--offline"])
        _ = try await run("first", ["journal", "edit", one, "--text", "one, edited"])
        _ = try await run("second", ["sync"])
        server.program.signal(SIGKILL)
        _ = try await server.program.outcome()
        server = try await workspace.startServer(
            port: server.port, users: [], variables: try Faults(clock: clocks.server).variables())
        // The same field of both is for a person to decide, whoever was "earlier".
        _ = try await run("first", ["sync"])
        _ = try await run("first", ["journal", "edit", two, "--text", "theirs"])
        _ = try await run("first", ["sync"])
        _ = try await run("second", ["journal", "edit", two, "--text", "mine", "--offline"])
        _ = try await add("second", "three", "--offline")
        _ = try await run("second", ["sync"])
        struct Conflict: Decodable { let id: String }
        let listed = try await run("second", ["conflicts", "list", "--json"])
        let conflicts = try JSONDecoder().decode([Conflict].self, from: Data(listed.utf8))
        try require(conflicts.count == 1, "\(conflicts.count) conflicts")
        _ = try await run("second", ["conflicts", "resolve", conflicts[0].id, "--keep", "local"])
        _ = try await run("second", ["sync"])
        let four = try await add("first", "four")
        _ = try await run("first", ["journal", "rm", four])
        for home in ["first", "second", "first"] { _ = try await run(home, ["sync"]) }

        let rows = try Ledger(workspace, home: "first").remoteEntries()
        for home in ["first", "second"] {
            let ledger = Ledger(workspace, home: home)
            let problems = try ledger.problems(acknowledged: [one, two])
            #expect(problems == [])
            #expect(try ledger.localEntries() == rows)
            #expect(try ledger.waiting() == 0)
        }
        return rows.map { "\($0.version) \($0.text) \($0.severity) \($0.host)" }.sorted()
    }
}
