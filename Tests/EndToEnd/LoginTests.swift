import Foundation
import StrataTesting
import Testing

/// A login over a session: the old one or the new one, and never two persons in one home.
@Suite(.serialized) struct LoginTests {
    @Test func `two logins at once leave account and tokens of the same person`() async throws {
        let (workspace, server) = try await setUp()
        for round in 0..<10 {
            let both = try ["ada", "bob"].map { try workspace.startLogin(as: $0, server: server) }
            // On a busy machine one may time out; then it has changed nothing.
            for login in both { _ = try await login.outcome() }
            let stored = try document(workspace)
            let whoami = try await workspace.shiftlog(["whoami"], server: server)
            #expect(whoami.out.hasPrefix("\(stored["username"] ?? "?") "), "round \(round): \(whoami.out)\(whoami.err)")
            let subject = Self.subject(of: try workspace.keptToken("access_token"))
            #expect(subject == stored["user_id"] as? String, "round \(round)")
        }
    }

    @Test(arguments: [SIGHUP, SIGINT, SIGTERM, SIGKILL])
    func `while a login asks for the password others work, and a signal leaves the session as it was`(
        number: Int32
    ) async throws {
        let (workspace, server) = try await setUp()
        try await workspace.login(server: server)
        let before = try workspace.keptToken("refresh_token")
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let waiting = try Program(
            "\(Workspace.products)/shiftlog", ["login", "--username", "bob", "--password-stdin"],
            environment: workspace.environment.merging(
                ["SHIFTLOG_HOME": "\(workspace.root)/home", "SHIFTLOG_SERVER": server.url]) { $1 },
            folder: workspace.root, input: nil, standardInput: ends[0])
        for _ in 0..<3 {
            let whoami = try await workspace.shiftlog(["whoami"], server: server)
            #expect(whoami.out.hasPrefix("ada "), "\(whoami.err)")
        }
        #expect(waiting.isRunning)
        waiting.signal(number)
        _ = try await waiting.outcome()
        #expect(try workspace.keptToken("refresh_token") == before)
        #expect(try await workspace.shiftlog(["whoami"], server: server).status == 0)
    }

    @Test func `a login that is killed at any moment leaves the old session or the new one`() async throws {
        let (workspace, server) = try await setUp()
        try await workspace.login(server: server)
        var random = SeededRandom.ofRun("a login that is killed")
        for round in 0..<25 {
            let login = try workspace.startLogin(as: round % 2 == 0 ? "bob" : "ada", server: server)
            try await RealTime.pass(.milliseconds(Int.random(in: 0...400, using: &random)))
            login.signal(SIGKILL)
            _ = try await login.outcome()
            let whoami = try await workspace.shiftlog(["whoami"], server: server)
            #expect(whoami.status == 0, "round \(round): \(whoami.err)")
            #expect(whoami.out.hasPrefix("\(try document(workspace)["username"] ?? "?") "), "round \(round)")
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(workspace.root)/home/state/tokens/default")
                .filter { $0.hasPrefix(".") }.count <= 1)
        #expect(try await workspace.shiftlog(["logout"], server: server).status == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(workspace.root)/home/state/tokens/default")
                == ["tokens.json.lock"])
    }

    @Test func `a login ends the session it replaces, and a failed one ends nothing`() async throws {
        let (workspace, server) = try await setUp()
        try await workspace.login(server: server)
        let old = try workspace.keptToken("access_token")
        let wrong = try workspace.startLogin(as: "bob", server: server, password: "wrong")
        #expect(try await wrong.outcome().status == 77)
        #expect(try await workspace.shiftlog(["whoami"], server: server).out.hasPrefix("ada "))
        #expect(try await server.get("/v1/me", token: old).status == 200)
        #expect(try await workspace.shiftlog(["request", "GET", "/v1/runbooks"], server: server).status == 0)
        #expect(try await cached(workspace, server) > 0)

        try await workspace.login(as: "bob", server: server)
        #expect(try await server.get("/v1/me", token: old).status == 401)
        let whoami = try await workspace.shiftlog(["whoami"], server: server)
        #expect(whoami.out.hasPrefix("bob "), "\(whoami.err)")
        #expect(try await cached(workspace, server) == 0)
    }

    private func cached(_ workspace: Workspace, _ server: Server) async throws -> Int {
        try await workspace.shiftlog(["cache", "stats", "--json"], server: server).json()["entries"].int ?? -1
    }

    @Test func `a request as a curl command goes without the token of the session, and nothing is sent`() async throws {
        let (workspace, server) = try await setUp()
        try await workspace.login(server: server)
        let before = try await server.metric("shiftlog_token_refreshes_total")
        let words = ["request", "POST", "/v1/it's", "-d", #"{"a":1}"#, "-H", "X-Key: CANARY", "--curl"]
        let result = try await workspace.shiftlog(words, server: server)
        #expect(result.status == 0, "\(result.err)")
        #expect(result.out.hasPrefix("curl --request POST --header "))
        #expect(result.out.contains(#"'Authorization: Bearer '"$TOKEN""#))
        #expect(result.out.contains(#"'X-Key: '"$X_KEY""#))
        #expect(result.out.contains(#"--data-binary '{"a":1}'"#))
        #expect(result.out.contains("/v1/it'\\''s'"))
        #expect(try !result.out.contains(workspace.keptToken("access_token")) && !result.out.contains("CANARY"))
        #expect(try await server.metric("shiftlog_token_refreshes_total") == before)
    }

    @Test func `a wrong password in a request of one's own ends no session`() async throws {
        let (workspace, server) = try await setUp()
        try await workspace.login(server: server)
        let wrong = #"{"username":"bob","password":"wrong"}"#
        for _ in 0..<2 {
            let result = try await workspace.shiftlog(["request", "POST", "/v1/sessions", "-d", wrong], server: server)
            #expect(result.status == 77, "\(result.out)\(result.err)")
        }
        #expect(try await server.metric("shiftlog_token_refreshes_total") == 0)
        #expect(try await workspace.shiftlog(["whoami"], server: server).status == 0)
    }

    @Test(.enabled(if: SmallFileSystem.isPossible, "needs the right to mount a small file system"))
    func `a refresh on a full disk is not sent, and the session lives`() async throws {
        let (workspace, server) = try await setUp(clockMoves: true)
        let disk = try SmallFileSystem(kilobytes: 1024, at: "\(workspace.root)/small")
        try await workspace.login(home: "small", server: server)
        try disk.fill()
        try workspace.expireAccessTokens()
        let refused = try await workspace.shiftlog(["whoami"], home: "small", server: server)
        #expect(refused.status == 73)
        #expect(refused.err.contains("Nothing was sent"), "\(refused.err)")
        #expect(try await server.metric("shiftlog_token_refreshes_total") == 0)
        try disk.makeRoom()
        #expect(try await workspace.shiftlog(["whoami"], home: "small", server: server).status == 0)
    }

    @Test func `a closed standard input is refused as a password`() async throws {
        let (workspace, server) = try await setUp()
        let result = try await script("exec $SHIFTLOG login --username ada --password-stdin <&-", workspace, server)
        #expect(result.status == 65, "\(result.err)")
    }

    @Test(arguments: ["0000", "0777"])
    func `the session is for its owner only, whatever the umask`(umask: String) async throws {
        let (workspace, server) = try await setUp()
        let login = "umask \(umask); exec $SHIFTLOG login --username ada --password-stdin"
        let result = try await script(login, workspace, server, input: "\(Workspace.password)\n")
        #expect(result.status == 0, "\(result.err)")
        let folder = "\(workspace.root)/home/state/tokens/default"
        for (path, mode) in [("", 0o700), ("/tokens.json", 0o600), ("/tokens.json.lock", 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + path)
            #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
        }
    }

    /// Runs a script of the shell, in which `$SHIFTLOG` is the program.
    private func script(
        _ text: String, _ workspace: Workspace, _ server: Server, input: String? = nil
    ) async throws -> Outcome {
        let own = [
            "SHIFTLOG": "\(Workspace.products)/shiftlog", "SHIFTLOG_HOME": "\(workspace.root)/home",
            "SHIFTLOG_SERVER": server.url,
        ]
        return try await Program(
            "/bin/sh", ["-c", text], environment: workspace.environment.merging(own) { $1 }, folder: workspace.root,
            input: input
        ).outcome()
    }

    @Test func `client and server run without core files`() async throws {
        let (workspace, server) = try await setUp()
        try await workspace.login(server: server)
        let watch = try workspace.start("shiftlog", ["sync", "--watch"], server: server)
        // It has said something once it is well inside `main`.
        try await eventually("the watch says something") { !watch.outputSoFar.isEmpty }
        for id in [watch.id, server.program.id] {
            let limits = try String(contentsOfFile: "/proc/\(id)/limits", encoding: .utf8)
            let line = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") } ?? ""
            #expect(line.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"], "\(line)")
        }
    }

    // MARK: - Help

    /// A server with `ada` and `bob`.
    private func setUp(clockMoves: Bool = false) async throws -> (Workspace, Server) {
        let workspace = try Workspace(clockMoves: clockMoves)
        return (workspace, try await workspace.startServer(users: ["ada", "bob"]))
    }

    private func document(_ workspace: Workspace) throws -> [String: Any] {
        let file = URL(filePath: "\(workspace.root)/home/state/tokens/default/tokens.json")
        return try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
    }

    private static func subject(of token: String) -> String? {
        let parts = token.split(separator: ".")
        guard parts.count == 3 else { return nil }
        var text = parts[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while text.count % 4 != 0 { text += "=" }
        guard let bytes = Data(base64Encoded: text) else { return nil }
        let claims = try? JSONSerialization.jsonObject(with: bytes) as? [String: Any]
        return claims?["sub"] as? String
    }
}
