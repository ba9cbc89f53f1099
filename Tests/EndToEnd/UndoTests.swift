import Foundation
import Testing

/// `undo` takes back the last write, whether it was an entry of the journal or a runbook at the server.
@Suite(.serialized) struct UndoTests {
    private let workspace: Workspace
    private let server: Server

    init() async throws { (workspace, server) = try await Workspace.loggedIn(users: ["ada", "bob"]) }

    private func run(_ words: String..., home: String = "home") async throws -> Outcome {
        try await workspace.shiftlog(words, home: home, server: server)
    }

    private func made(_ title: String, home: String = "home") async throws -> String {
        let file = try workspace.write("one\n", to: "one.md")
        let made = try await run("runbooks", "create", "--title", title, "--file", file, "--json", home: home)
        return try #require(try made.json()["id"].text, "\(made.err)")
    }

    private func runbooks() async throws -> [String: String] {
        let listed = try await run("runbooks", "list", "--refresh", "--json")
        let titles = try listed.json().list.map { ($0["id"].text ?? "", $0["title"].text ?? "") }
        return Dictionary(titles) { first, _ in first }
    }

    private func entries() async throws -> [String] {
        try await run("journal", "list", "--json", "--offline").json().list.compactMap { $0["text"].text }
    }

    @Test func `a runbook has its earlier values again, and the entry before it stays`() async throws {
        let id = try await made("Restart")
        #expect(try await run("journal", "add", "an entry", "--host", "h").status == 0)
        #expect(try await run("runbooks", "edit", id, "--title", "Wrong").status == 0)
        let undone = try await run("undo")
        #expect(undone.status == 0 && undone.out.contains("has its earlier values again"), "\(undone.out)\(undone.err)")
        #expect(try await runbooks() == [id: "Restart"])
        let again = try await run("undo")
        #expect(again.status != 0 && again.err.contains("no write to undo"), "\(again.err)")
        #expect(try await entries() == ["an entry"])
    }

    @Test func `a sent entry is taken back at the server at once, and with --offline the inverse is queued`()
        async throws
    {
        #expect(try await run("journal", "add", "an entry", "--host", "h").status == 0)
        let undone = try await run("undo")
        #expect(undone.status == 0 && undone.out.contains("the server has that"), "\(undone.out)\(undone.err)")
        #expect(!undone.err.contains("queued"), "\(undone.err)")
        #expect(try await run("journal", "add", "another", "--host", "h").status == 0)
        let later = try await run("undo", "--offline")
        #expect(later.status == 0 && later.out.contains("that is queued for the server"), "\(later.out)\(later.err)")
        #expect(later.err.contains("because of --offline"), "\(later.err)")
        #expect(try await entries().isEmpty)
    }

    @Test func `a new runbook is gone, and a deleted one is there under a new id that is said`() async throws {
        let id = try await made("Restart")
        #expect(try await run("undo").status == 0)
        #expect(try await runbooks().isEmpty)
        let second = try await made("Failover")
        #expect(id != second)
        #expect(try await run("runbooks", "rm", second).status == 0)
        let undone = try await run("undo", "--json")
        let new = try #require(try undone.json()["id"].text, "\(undone.err)")
        #expect(new != second)
        #expect(try await runbooks() == [new: "Failover"])
    }

    @Test func `a runbook that another user changed since stays as it is, and so does the entry before it`()
        async throws
    {
        try await workspace.login(as: "bob", home: "other", server: server)
        let id = try await made("Restart")
        #expect(try await run("journal", "add", "an entry", "--host", "h").status == 0)
        #expect(try await run("runbooks", "edit", id, "--title", "Mine").status == 0)
        #expect(try await run("runbooks", "show", id, "--refresh", home: "other").status == 0)
        let theirs = try await run("runbooks", "edit", id, "--title", "Theirs", home: "other")
        #expect(theirs.status == 0, "\(theirs.err)")
        for _ in 0..<2 {
            let refused = try await run("undo")
            #expect(refused.status == 65)
            #expect(refused.err.contains("was changed after the last write here"), "\(refused.err)")
        }
        #expect(try await runbooks() == [id: "Theirs"])
        #expect(try await entries() == ["an entry"])
    }

    @Test func `a refused edit leaves the entry the last write`() async throws {
        let id = try await made("Restart")
        #expect(try await run("journal", "add", "an entry", "--host", "h").status == 0)
        #expect(try await run("runbooks", "edit", id, "--title", "").status != 0)
        #expect(try await run("runbooks", "edit", id, "--title", "Offline", "--offline").status != 0)
        #expect(try await run("undo").status == 0)
        #expect(try await entries().isEmpty)
        #expect(try await runbooks() == [id: "Restart"])
    }

    @Test func `after a logout the last write is named and not undone, and the record has none of its values`()
        async throws
    {
        let id = try await made("Known title")
        #expect(try await run("journal", "add", "an entry", "--host", "h").status == 0)
        #expect(try await run("runbooks", "edit", id, "--title", "New").status == 0)
        #expect(try await run("logout").status == 0)
        for isLoggedIn in [false, true] {
            if isLoggedIn { try await workspace.login(server: server) }
            let refused = try await run("undo")
            #expect(refused.status == 65 && refused.err.contains("'\(id)' in runbooks"), "\(refused.err)")
        }
        #expect(try await entries() == ["an entry"])
    }

    @Test func `another profile has a last write of its own`() async throws {
        let id = try await made("Restart")
        let other = try await run("undo", "--profile", "other")
        #expect(other.status != 0 && other.err.contains("no write to undo"), "\(other.err)")
        #expect(try await runbooks() == [id: "Restart"])
    }
}
