import Foundation
import Testing

@Suite(.serialized) struct SessionTests {
    @Test func `eight commands at once with an expired token refresh once`() async throws {
        let (workspace, server) = try await Workspace.loggedIn(clockMoves: true)
        try workspace.expireAccessTokens()
        let before = try await server.metric("shiftlog_token_refreshes_total")

        let statuses = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for _ in 0..<8 { group.addTask { try await workspace.shiftlog(["whoami"], server: server) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(statuses.allSatisfy { $0.status == 0 }, "\(statuses.map(\.err))")
        #expect(try await server.metric("shiftlog_token_refreshes_total") - before == 1)
    }

    @Test func `a replayed refresh token ends the session, and the next command says to log in`() async throws {
        let (workspace, server) = try await Workspace.loggedIn(clockMoves: true)
        let old = try workspace.keptToken("refresh_token")
        for _ in 0..<2 {
            try workspace.expireAccessTokens()
            #expect(try await workspace.shiftlog(["whoami"], server: server).status == 0)
        }
        let replay = try await post("/v1/oauth/token", to: server, refreshToken: old)
        #expect(replay.status == 400)
        #expect(replay.body.contains("invalid_grant"))
        try workspace.expireAccessTokens()
        let next = try await workspace.shiftlog(["whoami"], server: server)
        #expect(next.status == 77)
        #expect(next.err.contains("shiftlog login"))
    }

    @Test func `tokens go to no other server than the one that issued them`() async throws {
        let (workspace, server) = try await Workspace.loggedIn()
        server.program.signal(SIGTERM)
        _ = try await server.program.outcome()
        // The same database on another port would accept the token; the client must not even send it.
        let other = try await workspace.startServer(users: [])
        let refused = try await workspace.shiftlog(["whoami"], server: other)
        #expect(refused.status == 77)
        #expect(refused.err.contains(server.url))
        #expect(try await workspace.shiftlog(["logout"], server: other).status == 0)
        #expect(try workspace.keptToken("access_token").isEmpty == false, "the account elsewhere keeps its tokens")
        try await workspace.login(server: other)
        #expect(try await workspace.shiftlog(["whoami"], server: other).status == 0)
    }

    @Test func `a wrong password and a missing login exit with 77`() async throws {
        let workspace = try Workspace()
        let server = try await workspace.startServer()
        let wrong = try await workspace.shiftlog(
            ["login", "--username", "ada", "--password-stdin"], server: server, input: "wrong password\n")
        #expect(wrong.status == 77)
        #expect(!wrong.err.contains("wrong password"), "the password must not be printed")
        #expect(try await workspace.shiftlog(["whoami"], server: server).status == 77)
    }

    @Test func `a token of a previous signing secret is accepted while secrets are replaced, and then no more`()
        async throws
    {
        let (workspace, server) = try await Workspace.loggedIn()
        let token = try workspace.keptToken("access_token")
        let old = try #require(workspace.environment["SHIFTLOG_SIGNING_SECRET"])
        let new = UUID().uuidString + UUID().uuidString
        for (previous, status) in [(old, 200), ("", 401)] {
            server.program.signal(SIGTERM)
            _ = try await server.program.outcome()
            let next = try await workspace.startServer(
                port: server.port, users: [],
                variables: ["SHIFTLOG_SIGNING_SECRET": new, "SHIFTLOG_PREVIOUS_SIGNING_SECRETS": previous])
            #expect(try await next.get("/v1/me", token: token).status == status)
            next.program.signal(SIGTERM)
            _ = try await next.program.outcome()
        }
    }

    private func post(_ path: String, to server: Server, refreshToken: String) async throws -> RawHTTP.Answer {
        let headers = [
            "Host: 127.0.0.1", "Connection: close", "Content-Type: application/x-www-form-urlencoded",
        ]
        let form = Array("grant_type=refresh_token&refresh_token=\(refreshToken)".utf8)
        return try await RawHTTP.send(
            RawHTTP.request("POST", Array(path.utf8), headers: headers, body: form), port: server.port)
    }
}
