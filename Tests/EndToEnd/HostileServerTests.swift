import Foundation
import StrataTesting
import Testing

/// A server, or a machine on the way to it, that answers what it likes.
@Suite struct HostileServerTests {
    /// A home that is logged in at a server, in whose place now stands another one.
    private func home(_ impostor: LoopbackServer) async throws -> (Workspace, server: Server, relay: Relay) {
        let workspace = try Workspace()
        let server = try await workspace.startServer()
        let relay = try Relay(to: server.port)
        let reached = Server(url: relay.url, program: server.program)
        try await workspace.login(server: reached)
        relay.lead(to: impostor.port)
        return (workspace, reached, relay)
    }

    @Test func `control characters of a problem reach no terminal, with -v either`() async throws {
        let title = #"\u001b]52;c;aGk=\u0007\u001b[2J\u009b1m\u202etxt\r\n\u2028forged"#
        let impostor = try await LoopbackServer.start(
            .always(
                .response(
                    "500 Internal Server Error",
                    #"{"type":"about:blank","title":"\#(title)","status":500,"code":"\#(title)"}"#,
                    fields: ["Content-Type: application/problem+json"])))
        let (workspace, server, relay) = try await home(impostor)
        let id = "01890000-0000-7000-8000-000000000000"
        let commands = [
            ["sync"], ["doctor"], ["status"], ["whoami"], ["runbooks", "list"], ["runbooks", "list", "--refresh"],
            ["runbooks", "show", id], ["sessions", "list"], ["attachments", "list", id], ["request", "GET", "/v1/me"],
            ["journal", "add", "one line", "--host", "web1"],
        ]
        for command in commands {
            let outcome = try await workspace.shiftlog(command + ["-v"], server: server)
            let odd = (outcome.out + outcome.err).unicodeScalars.filter { scalar in
                (scalar.value < 0x20 && scalar != "\n") || (0x7F...0x9F).contains(scalar.value)
                    || [0x202E, 0x2028].contains(scalar.value)
            }
            #expect(odd.isEmpty, "\(command): \(SafeLine(outcome.err))")
            #expect(!outcome.err.contains("\nforged"))
        }
        #expect(impostor.requests.count >= commands.count)
        withExtendedLifetime(relay) {}
    }

    /// What a captive portal answers to everything, and the exit code: 69 for another media type, 65 for JSON that is not ours.
    static let portals: [(status: String, type: String?, body: String, code: Int32)] = [
        ("200 OK", "text/html", "<html>Welcome</html>", 69), ("200 OK", "application/json", "<html>Welcome</html>", 65),
        ("200 OK", "application/json", "", 65), ("204 No Content", nil, "", 65),
        ("200 OK", "application/json", "null", 65),
        ("200 OK", "application/json", "[]", 65),
    ]

    @Test(arguments: portals)
    func `a captive portal is no bug, and is named`(
        portal: (status: String, type: String?, body: String, code: Int32)
    ) async throws {
        let impostor = try await LoopbackServer.start(
            .always(
                .response(
                    portal.status, portal.body, fields: portal.type.map { ["Content-Type: \($0)"] } ?? [])))
        let (workspace, server, relay) = try await home(impostor)
        // A synchronisation reads lines, not one document.
        let sync = try await workspace.shiftlog(["sync"], server: server)
        #expect([65, 69].contains(sync.status), "\(sync.err)")
        for command in [["whoami"], ["sessions", "list"], ["runbooks", "list", "--refresh"]] {
            let outcome = try await workspace.shiftlog(command, server: server)
            #expect(outcome.status == portal.code, "\(command): \(outcome.err)")
            #expect(outcome.err.contains("proxy or the login page of a network"), "\(command): \(outcome.err)")
        }
        let login = try await workspace.startLogin(as: "ada", home: "other", server: server).outcome()
        #expect(login.status == portal.code, "\(login.err)")
        #expect(login.err.contains("proxy or the login page of a network"), "\(login.err)")
        let status = try await workspace.shiftlog(["status"], server: server)
        #expect(status.status == 0 && !status.out.contains("(ready)"), "\(status.out)")
        let added = try await workspace.shiftlog(["journal", "add", "kept", "--host", "web1"], server: server)
        #expect(added.status == 0 && !added.err.contains("ended"), "\(added.err)")
        #expect(try workspace.keptToken("refresh_token").isEmpty == false)
        withExtendedLifetime(relay) {}
    }

    @Test func `a 401 of a portal ends no session, and no message says so`() async throws {
        let impostor = try await LoopbackServer.start(.always(.response("401 Unauthorized", "log in")))
        let (workspace, server, relay) = try await home(impostor)
        let added = try await workspace.shiftlog(["journal", "add", "kept", "--host", "web1"], server: server)
        #expect(added.status == 0 && !added.err.contains("session has ended"), "\(added.err)")
        #expect(try workspace.keptToken("refresh_token").isEmpty == false)
        withExtendedLifetime(relay) {}
    }

    @Test func `a server that asks to wait ends every command with 75`() async throws {
        let impostor = try await LoopbackServer.start(
            .always(.response("503 Service Unavailable", fields: ["Retry-After: 120"])))
        let (workspace, server, relay) = try await home(impostor)
        let commands = [
            ["sync"], ["whoami"], ["runbooks", "list"], ["users", "list"], ["host-tokens", "list"],
            ["request", "GET", "/v1/me"],
        ]
        for command in commands {
            let outcome = try await workspace.shiftlog(command + ["--timeout", "5"], server: server)
            #expect(outcome.status == 75, "\(command): \(outcome.err)")
        }
        withExtendedLifetime(relay) {}
    }

    @Test func `--timeout ends a command whose server never answers`() async throws {
        let silent = try await LoopbackServer.start(.silent)
        let (workspace, server, relay) = try await home(silent)
        let file = try workspace.write("content", to: "file.txt")
        let id = "01890000-0000-7000-8000-000000000000"
        let commands: [[String]] = [
            ["sync"], ["whoami"], ["sessions", "list"], ["runbooks", "list", "--refresh"],
            ["attachments", "add", id, file],
            ["attachments", "list", id], ["request", "GET", "/v1/me"], ["request", "GET", "/v1/me", "--repeat", "9"],
            ["fetch", "/v1/me", "-o", workspace.root + "/me"],
        ]
        for command in commands {
            let outcome = try await workspace.shiftlog(command + ["--timeout", "0.3"], server: server)
            #expect(outcome.status == 75, "\(command): \(outcome.status) \(outcome.err)")
            #expect(outcome.err.contains("error: "), "\(command)")
        }
        let status = try await workspace.shiftlog(["status", "--timeout", "0.5"], server: server)
        #expect(status.status == 0 && status.out.contains("(unreachable)"), "\(status.err)")
        withExtendedLifetime(relay) {}
    }

    @Test func `each subsystem logs under its own name`() async throws {
        let (workspace, server) = try await Workspace.loggedIn()
        let added = try await workspace.shiftlog(
            ["journal", "add", "one line", "--host", "web1", "-v"], server: server)
        #expect(added.err.contains(" shiftlog.network: "))
        _ = try await workspace.shiftlog(["runbooks", "list"], server: server)
        server.program.signal(SIGTERM)
        _ = try await server.program.outcome()
        let stale = try await workspace.shiftlog(["runbooks", "list", "--refresh", "-v"], server: server)
        #expect(stale.err.contains(" shiftlog.cache: "), "\(stale.err)")
    }
}

/// A text with control characters, as part of a message.
private struct SafeLine: CustomStringConvertible {
    let description: String
    init(_ text: String) { description = text.debugDescription }
}
