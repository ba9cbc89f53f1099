import Foundation
import StrataTesting
import Testing

/// Commands that have a copy of what they show.
@Suite(.serialized) struct CopyTests {
    enum Trouble: CaseIterable { case silent, slow, dead, halfOpen }

    /// The figures of a release build are in Docs/Operations.md; a debug build on a busy machine starts slowly. Before, each of
    /// them took 7 to 30 seconds.
    private static let limit = Duration.seconds(4)

    /// A home that has read two runbooks an hour ago, so that copies and token are old.
    private func home() async throws -> (Workspace, Server, Relay, id: String) {
        let workspace = try Workspace(clockMoves: true)
        let server = try await workspace.startServer()
        let relay = try Relay(to: server.port)
        let reached = Server(url: relay.url, program: server.program)
        try await workspace.login(server: reached)
        let file = try workspace.write("# Steps\n", to: "steps.md")
        var id = ""
        for title in ["Disk full", "Restart"] {
            let created = try await workspace.shiftlog(
                ["runbooks", "create", "--title", title, "--file", file, "--json"], server: reached)
            id = try created.json()["id"].text ?? ""
        }
        for arguments in [["runbooks", "list"], ["runbooks", "list", "--json"]] {
            #expect(try await workspace.shiftlog(arguments, server: reached).status == 0)
        }
        try workspace.expireAccessTokens()
        return (workspace, reached, relay, id)
    }

    @Test(arguments: Trouble.allCases)
    func `end soon, whatever the server does`(trouble: Trouble) async throws {
        let (workspace, server, relay, id) = try await home()
        let silent = try await LoopbackServer.start(.silent)
        let slow = try await LoopbackServer.start(.always(.pause(.seconds(5)), .json("{}")))
        switch trouble {
        case .silent: relay.lead(to: silent.port)
        case .slow: relay.lead(to: slow.port)
        case .dead:
            server.program.signal(SIGKILL)
            _ = try await server.program.outcome()
        case .halfOpen: relay.cut([.requests, .answers])
        }
        let commands: [[String]] = [
            ["runbooks", "list"], ["runbooks", "list", "--json"], ["runbooks", "list", "--search", "disk"],
            ["runbooks", "list", "--limit", "2"], ["runbooks", "show", String(id.suffix(7))], ["runbooks", "show", id],
            ["journal", "list"], ["report"], ["sync", "status"], ["outbox", "list"], ["conflicts", "list"],
        ]
        for command in commands {
            let begin = ContinuousClock.now
            let outcome = try await workspace.shiftlog(command, server: server)
            #expect(outcome.status == 0, "\(command): \(outcome.err)")
            #expect(ContinuousClock.now - begin < Self.limit, "\(command)")
            if command.first == "runbooks" { #expect(outcome.err.contains("stale"), "\(command): \(outcome.err)") }
        }
        #expect(try workspace.keptToken("refresh_token").isEmpty == false)
    }

    @Test func `are brought up to date behind what they show, with one refresh of the tokens`() async throws {
        let (workspace, server, relay, id) = try await home()
        let file = try workspace.write("# Other steps\n", to: "steps.md")
        try await workspace.login(home: "other", server: server)
        let edited = try await workspace.shiftlog(["runbooks", "show", id], home: "other", server: server)
        #expect(edited.status == 0)
        #expect(
            try await workspace.shiftlog(
                ["runbooks", "edit", id, "--title", "Restarted", "--file", file], home: "other", server: server
            ).status == 0)

        let stale = try await workspace.shiftlog(["runbooks", "list"], server: server)
        #expect(stale.err.contains("stale") && !stale.out.contains("Restarted"), "\(stale.out)")
        var shown = ""
        for _ in 0..<20 where !shown.contains("Restarted") {
            shown = try await workspace.shiftlog(["runbooks", "list"], server: server).out
        }
        #expect(shown.contains("Restarted"), "the reads behind reached the server")
        #expect(try await workspace.shiftlog(["whoami"], server: server).status == 0, "the session lives")
        withExtendedLifetime(relay) {}
    }
}
