import Foundation
import Testing

@Suite(.serialized) struct OfflineTests {
    private struct Entry: Hashable {
        let id, text, severity: String
        let version: Int?

        init(_ json: JSON) {
            (id, text) = (json["id"].text ?? "", json["text"].text ?? "")
            (severity, version) = (json["severity"].text ?? "", json["version"].int)
        }
    }

    @Test func `an entry written while the server is down is queued, and arrives once it is back`() async throws {
        let workspace = try Workspace()
        var server = try await workspace.startServer()
        try await workspace.login(server: server)
        let first = try await add("before", workspace, server)
        try await stop(server)

        let queued = try await workspace.shiftlog(["journal", "add", "while down", "--host", "web1"], server: server)
        #expect(queued.status == 0)
        #expect((queued.out + queued.err).contains("queued"))
        let edited = try await workspace.shiftlog(
            ["journal", "edit", first.id, "--severity", "critical"], server: server)
        #expect(edited.status == 0, "\(edited.err)")

        server = try await workspace.startServer(port: server.port, users: [])
        #expect(try await workspace.shiftlog(["sync"], server: server).status == 0)
        try await workspace.login(home: "other", server: server)
        #expect(try await workspace.shiftlog(["sync"], home: "other", server: server).status == 0)
        let there = try await entries(workspace, server, home: "other")
        #expect(there == (try await entries(workspace, server)))
        #expect(Set(there.map(\.text)) == ["before", "while down"])
        #expect(there.first { $0.id == first.id }?.severity == "critical")
    }

    @Test func `runbooks are shown from the cache, marked stale, when the server is down`() async throws {
        let (workspace, server) = try await Workspace.loggedIn()
        let file = try workspace.write("# Restart\n1. Breathe.\n", to: "restart.md")
        let created = try await workspace.shiftlog(
            ["runbooks", "create", "--title", "Restart", "--file", file], server: server)
        #expect(created.status == 0, "\(created.err)")
        #expect(try await workspace.shiftlog(["runbooks", "list"], server: server).status == 0)
        try await stop(server)

        let listed = try await workspace.shiftlog(["runbooks", "list", "--refresh"], server: server)
        #expect(listed.status == 0)
        #expect(listed.out.contains("Restart"))
        #expect(listed.err.contains("stale"))
        let fresh = try await workspace.shiftlog(["runbooks", "list"], home: "empty", server: server)
        #expect(fresh.status == 69 || fresh.status == 77)
    }

    @Test func `an entry edited in two homes is a conflict that a person resolves either way`() async throws {
        let (workspace, server) = try await Workspace.loggedIn()
        try await workspace.login(home: "other", server: server)

        for side in ["local", "remote"] {
            let entry = try await add("agreed \(side)", workspace, server)
            #expect(try await workspace.shiftlog(["sync"], home: "other", server: server).status == 0)
            let mine = ["journal", "edit", entry.id, "--text", "mine \(side)", "--offline"]
            #expect(try await workspace.shiftlog(mine, home: "other", server: server).status == 0)
            let theirs = ["journal", "edit", entry.id, "--text", "theirs \(side)"]
            #expect(try await workspace.shiftlog(theirs, server: server).status == 0)
            #expect(try await workspace.shiftlog(["sync"], server: server).status == 0)

            let clash = try await workspace.shiftlog(["sync"], home: "other", server: server)
            #expect([0, 65].contains(clash.status), "\(clash.err)")
            let listed = try await workspace.shiftlog(["conflicts", "list", "--json"], home: "other", server: server)
            #expect(try listed.json().list.count == 1)
            let conflict = try #require(try listed.json()[0]["id"].text)
            let resolved = try await workspace.shiftlog(
                ["conflicts", "resolve", conflict, "--keep", side], home: "other", server: server)
            #expect(resolved.status == 0, "\(resolved.err)")
            #expect(try await workspace.shiftlog(["sync"], home: "other", server: server).status == 0)
            #expect(try await workspace.shiftlog(["sync"], server: server).status == 0)

            let here = try await entries(workspace, server)
            #expect(here == (try await entries(workspace, server, home: "other")))
            #expect(here.first { $0.id == entry.id }?.text == (side == "local" ? "mine local" : "theirs remote"))
        }
    }

    @Test func `a runbook changed by another person is not overwritten`() async throws {
        let (workspace, server) = try await Workspace.loggedIn()
        try await workspace.login(home: "other", server: server)
        let file = try workspace.write("one\n", to: "one.md")
        let made = try await workspace.shiftlog(
            ["runbooks", "create", "--title", "Shared", "--file", file, "--json"], server: server)
        let runbook = try #require(try made.json()["id"].text)
        #expect(
            try await workspace.shiftlog(["runbooks", "show", runbook], home: "other", server: server).status == 0)
        let two = try workspace.write("two\n", to: "two.md")
        let three = try workspace.write("three\n", to: "three.md")
        #expect(
            try await workspace.shiftlog(["runbooks", "edit", runbook, "--file", two], server: server).status == 0)

        let late = ["runbooks", "edit", runbook, "--file", three]
        let refused = try await workspace.shiftlog(late, home: "other", server: server)
        #expect(refused.status == 65)
        #expect(refused.err.contains("--refresh"))
        let shown = try await workspace.shiftlog(
            ["runbooks", "show", runbook, "--refresh", "--json"], home: "other", server: server)
        #expect(try shown.json()["body"].text?.hasPrefix("two") == true)
        #expect(try await workspace.shiftlog(late, home: "other", server: server).status == 0)
    }

    private func add(_ text: String, _ workspace: Workspace, _ server: Server) async throws -> Entry {
        let added = try await workspace.shiftlog(["journal", "add", text, "--host", "web1", "--json"], server: server)
        try require(added.status == 0, "add: \(added.err)")
        try require(try await workspace.shiftlog(["sync"], server: server).status == 0, "sync")
        return Entry(try added.json())
    }

    private func entries(_ workspace: Workspace, _ server: Server, home: String = "home") async throws -> [Entry] {
        let listed = try await workspace.shiftlog(
            ["journal", "list", "--limit", "10000", "--json", "--offline"], home: home, server: server)
        return try listed.json().list.map(Entry.init).sorted { $0.id < $1.id }
    }

    private func stop(_ server: Server) async throws {
        server.program.signal(SIGTERM)
        let outcome = try await server.program.outcome()
        #expect(outcome.status == 0, "the server must drain and exit with 0: \(outcome.err)")
    }
}
