import Foundation
import Testing

/// Real processes, killed without warning. `STRATA_KILLS` sets how often (default 6; the closing figures use 100).
@Suite(.serialized) struct CrashTests {
    static let kills = ProcessInfo.processInfo.environment["STRATA_KILLS"].flatMap(Int.init) ?? 6

    @Test func `a client killed while importing keeps every line it reported, and the server gets each once`()
        async throws
    {
        let workspace = try Workspace()
        let server = try await workspace.startServer()
        try await workspace.login(server: server)
        var generator = SystemRandomNumberGenerator()
        var accepted: [String: Int] = [:]

        for round in 0..<Self.kills {
            let lines = (0..<1000).map { "round \(round) line \($0)" }
            let file = try workspace.write(lines.joined(separator: "\n") + "\n", to: "round-\(round).log")
            let program = try workspace.start(
                "shiftlog", ["journal", "import", file, "--host", "web1"], server: server)
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...400, using: &generator)))
            program.signal(SIGKILL)
            accepted["round \(round) "] = Self.accepted(in: try await program.outcome().out)
        }

        let synced = try await workspace.shiftlog(["sync"], server: server)
        #expect(synced.status == 0, "\(synced.err)")
        let texts = try await serverTexts(workspace, server)
        #expect(Set(texts).count == texts.count, "a line is on the server twice")
        let local = try await localTexts(workspace, server)
        #expect(Set(local) == Set(texts), "the two sides differ")
        for (prefix, count) in accepted {
            #expect(texts.count { $0.hasPrefix(prefix) } >= count, "\(prefix): reported \(count)")
        }
    }

    @Test func `a server killed while it is sent to loses nothing and applies nothing twice`() async throws {
        let workspace = try Workspace()
        var server = try await workspace.startServer()
        try await workspace.login(server: server)
        let port = server.port
        var expected: Set<String> = []
        var generator = SystemRandomNumberGenerator()

        for round in 0..<max(3, Self.kills / 5) {
            let lines = (0..<400).map { "server round \(round) line \($0)" }
            expected.formUnion(lines)
            let file = try workspace.write(lines.joined(separator: "\n"), to: "server-\(round).log")
            let imported = try await workspace.shiftlog(
                ["journal", "import", file, "--host", "web1", "--offline"], server: server)
            #expect(imported.status == 0, "\(imported.err)")
            let sync = try workspace.start("shiftlog", ["sync", "--timeout", "5"], server: server)
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &generator)))
            server.program.signal(SIGKILL)
            _ = try await server.program.outcome()
            server = try await workspace.startServer(port: port, createUser: false)
            _ = try await sync.outcome()
        }

        let synced = try await workspace.shiftlog(["sync"], server: server)
        #expect(synced.status == 0, "\(synced.err)")
        let texts = try await serverTexts(workspace, server)
        #expect(texts.count == expected.count)
        #expect(Set(texts) == expected)
    }

    /// The last `accepted N` the program printed.
    private static func accepted(in output: String) -> Int {
        output.split(separator: "\n").compactMap { line in
            line.hasPrefix("accepted ") ? Int(line.dropFirst(9).prefix { $0.isNumber }) : nil
        }.last ?? 0
    }

    private func serverTexts(_ workspace: Workspace, _ server: Server) async throws -> [String] {
        // A fresh home knows nothing but what the server sends.
        let home = "reader-\(UUID().uuidString)"
        try await workspace.login(home: home, server: server)
        let synced = try await workspace.shiftlog(["sync"], home: home, server: server)
        #expect(synced.status == 0, "\(synced.err)")
        return try await localTexts(workspace, server, home: home)
    }

    private func localTexts(
        _ workspace: Workspace, _ server: Server, home: String = "home"
    ) async throws -> [String] {
        let listed = try await workspace.shiftlog(
            ["journal", "list", "--limit", "1000000", "--json", "--offline"], home: home, server: server)
        struct Entry: Decodable { let text: String }
        return try JSONDecoder().decode([Entry].self, from: Data(listed.out.utf8)).map(\.text)
    }
}
