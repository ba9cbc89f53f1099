import Foundation
import Testing

/// The word of `Docs/Guides/Versions.md`: what a released version stored and sent is opened and understood by this one.
@Suite(.serialized) struct RecordedVersionTests {
    @Test func `a version is recorded`() { #expect(RecordedVersion.all.contains { $0.name == "1.0" }) }

    @Test(arguments: RecordedVersion.all, RecordedVersion.Engine.usable)
    func `the server opens the database of an earlier version and answers with each row`(
        version: RecordedVersion, engine: RecordedVersion.Engine
    ) async throws {
        try await version.serve(engine) { workspace, server, facts in
            let token = try await token(server, facts)
            func get(_ path: String) async throws -> JSON {
                let answer = try await server.get(path, token: token)
                try require(answer.status == 200, "\(path): \(answer.status) \(answer.body)")
                return try JSON(answer.body)
            }
            let entries = try await get("/v1/journal/entries")["items"].list
            #expect(
                Set(entries.compactMap(\.["id"].text)) == [
                    facts.full, facts.gone, facts.disputed, facts.edited, "from-web1",
                ])
            let full = try #require(entries.first { $0["id"].text == facts.full })
            #expect(full["text"].text == "Disk \"/\" full 🚒\n\tsecond line" && full["author"].text == "ada")
            #expect(full["host"].text == "db1" && full["severity"].text == "warning")
            #expect(full["occurred_at"].text == "2026-11-21T09:05:00.000Z" && full["runbook_id"].text == facts.runbook)
            #expect(entries.first { $0["id"].text == facts.disputed }?["text"].text == "Theirs")
            #expect(entries.first { $0["id"].text == "from-web1" }?["author"].text == "web1")

            let runbook = try await get("/v1/runbooks/\(facts.runbook)")
            #expect(runbook["title"].text == "Restart" && runbook["body"].text == "# Restart\n1. Breathe.\n")
            #expect(runbook["tags"].list.compactMap(\.text) == ["db"])
            let content = try await server.get("/v1/attachments/\(facts.attachment)/content", token: token)
            #expect(content.status == 200 && content.body.contains("no room\n"))
            #expect(
                try await get("/v1/users")["users"].list.compactMap(\.["username"].text).sorted() == ["ada", "bob"])
            #expect(try await get("/v1/host-tokens")["items"].list.compactMap(\.["name"].text) == ["web1"])
            #expect(try await get("/v1/sessions")["items"].list.count == 2, "that of the home, and that of this test")
            let changes = try await get("/v1/sync/changes?collections=journal_entries")["changes"].list
            #expect(!changes.contains { $0["id"].text == facts.removed && $0["data"].exists })

            if engine == .sqlite {
                let jobs = try await workspace.start("shiftlog-server", ["jobs", "list", "--json"]).outcome()
                #expect(jobs.out.contains("recorded-failed") && jobs.out.contains("recorded-ready"), "\(jobs.err)")
            }
        }
    }

    @Test(arguments: RecordedVersion.all)
    func `a home of an earlier version lists its rows, and its unsent writes are sent once`(
        version: RecordedVersion
    ) async throws {
        try await version.serve { workspace, server, facts in
            try version.install("homes/ada", at: "\(workspace.root)/ada", address: "127.0.0.1:\(server.port)")
            func run(_ arguments: String...) async throws -> Outcome {
                let outcome = try await workspace.shiftlog(arguments, home: "ada", server: server)
                try require(outcome.status == 0, "\(arguments): \(outcome.status) \(outcome.err)")
                return outcome
            }
            try await expectUnsent(facts) { try await run("journal", "list", "--offline", "--json").json().list }
            #expect(try await run("config", "get", "profiles.work.server").out.contains(server.url))

            // With the session of the home: nobody logs in.
            #expect(try await run("sync", "--json").json()["sent"].int == 3)
            #expect(try await run("sync", "--json").json()["sent"].int == 0)
            try await expectSent(server, facts)
            #expect(try await run("conflicts", "list", "--json").out.contains(facts.disputed))
            #expect(try await run("runbooks", "list", "--json").out.contains(facts.runbook))
        }
    }

    /// After that time the sessions are over, and the server forgets deleted rows that the home still has.
    @Test(arguments: RecordedVersion.all)
    func `a home of an earlier version keeps its unsent writes for 400 days, and sends them after a login`(
        version: RecordedVersion
    ) async throws {
        try await version.serve(later: 400 * 24 * 3600) { workspace, server, facts in
            try version.install("homes/ada", at: "\(workspace.root)/ada", address: "127.0.0.1:\(server.port)")
            func run(_ arguments: String...) async throws -> Outcome {
                try await workspace.shiftlog(arguments, home: "ada", server: server)
            }
            let refused = try await run("sync")
            #expect(refused.status == 77 && refused.err.contains("shiftlog login"), "\(refused.err)")
            try await expectUnsent(facts) { try await run("journal", "list", "--offline", "--json").json().list }
            try await workspace.login(home: "ada", server: server, password: facts.password)
            let sent = try await run("sync", "--json")
            #expect(try sent.json()["sent"].int == 3, "\(sent.err)")
            try await expectSent(server, facts)
            #expect(try await run("conflicts", "list", "--json").out.contains(facts.disputed))
        }
    }

    @Test(arguments: RecordedVersion.all)
    func `an upload that an earlier version began goes on where it stopped`(version: RecordedVersion) async throws {
        try await version.serve { workspace, server, facts in
            let home = "\(workspace.root)/ada"
            try version.install("homes/ada", at: home, address: "127.0.0.1:\(server.port)")
            let text = (0..<70_000).map { "\($0) frame of db1\n" }.joined()
            let path = try workspace.write(text, to: "core.txt")
            // A draft has the name of its endpoint and its file, whose places are others here.
            let place = "\(server.url)/v1/journal/entries/\(facts.full)/attachments\n\(path)"
            let name = try await sha256(ofFileAt: workspace.write(place, to: "place"))
            let drafts = "\(home)/state/uploads/default"
            let draft = try #require(try FileManager.default.contentsOfDirectory(atPath: drafts).first)
            try FileManager.default.moveItem(atPath: "\(drafts)/\(draft)", toPath: "\(drafts)/\(name)")
            let added = try await workspace.shiftlog(
                ["attachments", "add", facts.full, path], home: "ada", server: server)
            #expect(added.status == 0 && (added.out + added.err).contains("Went on from byte"), "\(added.err)")
            let listed = try await workspace.shiftlog(
                ["attachments", "list", facts.full, "--json"], home: "ada", server: server)
            let sizes = try listed.json().list.compactMap(\.["size"].int)
            #expect(sizes == [8, text.utf8.count])
        }
    }

    /// The rows of the home before it speaks with the server.
    private func expectUnsent(_ facts: RecordedVersion.Facts, _ list: () async throws -> [JSON]) async throws {
        let rows = try await list()
        func row(_ id: String) throws -> JSON { try #require(rows.first { $0["id"].text == id }) }
        #expect(!rows.contains { $0["id"].text == facts.gone })
        #expect(try row(facts.full)["text"].text == "Disk \"/\" full 🚒\n\tsecond line")
        #expect(try row(facts.full)["state"].text == "synced")
        #expect(try row(facts.disputed)["state"].text == "conflicted" && row(facts.disputed)["text"].text == "Ours")
        #expect(try row(facts.edited)["state"].text == "queued" && row(facts.edited)["host"].text == "web2")
        #expect(try row(facts.queued)["state"].text == "queued")
    }

    /// The server's rows after the unsent writes have arrived.
    private func expectSent(_ server: Server, _ facts: RecordedVersion.Facts) async throws {
        let answer = try await server.get("/v1/journal/entries", token: try await token(server, facts))
        let rows = try JSON(answer.body)["items"].list
        #expect(rows.count { $0["text"].text == "Waits for the network" } == 1)
        #expect(rows.contains { $0["id"].text == facts.queued })
        #expect(!rows.contains { $0["id"].text == facts.gone })
        let edited = rows.first { $0["id"].text == facts.edited }
        #expect(edited?["host"].text == "web2" && edited?["severity"].text == "warning")
        #expect(rows.first { $0["id"].text == facts.disputed }?["text"].text == "Theirs")
    }

    private func token(_ server: Server, _ facts: RecordedVersion.Facts) async throws -> String {
        let body = #"{"username":"ada","password":"\#(facts.password)"}"#
        let answer = try await RawHTTP.send(
            RawHTTP.request(
                "POST", Array("/v1/sessions".utf8),
                headers: ["Host: 127.0.0.1", "Connection: close", "Content-Type: application/json"],
                body: Array(body.utf8)),
            port: server.port)
        return try #require(try JSON(answer.body)["access_token"].text, "\(answer.status) \(answer.body)")
    }
}
