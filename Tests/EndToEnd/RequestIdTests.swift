import Foundation
import Testing

@Suite(.serialized) struct RequestIdTests {
    @Test func `one request id stands in the client's log, the server's log and the problem document`() async throws {
        let workspace = try Workspace(logLevel: "debug")
        let server = try await workspace.startServer()
        try await workspace.login(server: server)
        let id = UUID().uuidString.lowercased()
        let shown = try await workspace.shiftlog(["runbooks", "show", id, "--verbose"], server: server)
        #expect(shown.status != 0)
        // The last line of the client's log is that of the answer, with the problem document in it.
        let answer = try #require(shown.err.split(separator: "\n").last { $0.contains("404") && $0.contains("body=") })
        let requestId = try #require(Self.value(of: "request_id=", in: answer, endingAt: " "))
        #expect(Self.value(of: #""request_id":""#, in: answer, endingAt: "\"") == requestId)

        server.program.signal(SIGTERM)
        let log = try await server.program.outcome().err
        let lines = log.split(separator: "\n").filter { $0.contains(requestId) }
        #expect(lines.contains { $0.contains("404") }, "\(log.suffix(2000))")
    }

    @Test func `no log of either program shows a password or a token`() async throws {
        let workspace = try Workspace(logLevel: "trace")
        let canary = "canary-" + Self.digits()
        let wrong = "canary-" + Self.digits()
        let server = try await workspace.startServer(createUser: false)
        let created = try await workspace.start(
            "shiftlog-server", ["create-user", "eve", "--role", "admin", "--password-stdin"], input: canary + "\n"
        ).outcome()
        try require(created.status == 0, "create-user: \(created.status)")
        var texts = [created.out, created.err]
        var secrets = [canary, wrong]
        for (arguments, input) in [
            (["login", "--username", "eve", "--password-stdin"], wrong),
            (["login", "--username", "eve", "--password-stdin"], canary), (["whoami"], ""),
        ] {
            let outcome = try await workspace.shiftlog(arguments + ["--verbose"], server: server, input: input + "\n")
            #expect((outcome.status == 0) == (input != wrong))
            texts += [outcome.out, outcome.err]
        }
        secrets += [try workspace.keptToken("access_token"), try workspace.keptToken("refresh_token")]
        let logout = try await workspace.shiftlog(["logout", "--verbose"], server: server)
        server.program.signal(SIGTERM)
        texts += [logout.out, logout.err, try await server.program.outcome().err]
        #expect(texts.joined().contains("request_id="), "or nothing was logged")
        for (place, secret) in secrets.enumerated() {
            #expect(!texts.contains { $0.contains(secret) }, "secret \(place) was shown")
        }
    }

    private static func digits() -> String {
        let text = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    private static func value(of mark: String, in line: Substring, endingAt end: Character) -> String? {
        line.firstRange(of: mark).map { String(line[$0.upperBound...].prefix { $0 != end }) }
    }
}
