import Foundation
import StrataTesting

/// A throw-away folder with the real binaries beside it; everything started from it ends with it.
final class Workspace: Sendable {
    let root: String
    let environment: [String: String]

    /// The folder of this test executable, which is where SwiftPM puts the products.
    static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

    private let directory: TemporaryDirectory

    /// - Parameters:
    ///   - clockMoves: Whether `expireAccessTokens` may be called.
    ///   - settings: Environment variables of everything that is started, besides and before the usual ones.
    init(clockMoves: Bool = false, settings: [String: String] = [:]) throws {
        directory = try TemporaryDirectory()
        root = directory.path
        let clock = try clockMoves ? Faults(clock: .movable("\(root)/clock")).variables() : [:]
        environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "HOME": root,
            "TZ": "UTC",
            "SHIFTLOG_SIGNING_SECRET": "end-to-end-" + UUID().uuidString + UUID().uuidString,
            "SHIFTLOG_ACCESS_TOKEN_SECONDS": String(Self.accessTokenSeconds),
            "SHIFTLOG_DATABASE": "sqlite:\(root)/server.sqlite",
            "SHIFTLOG_LOG_LEVEL": "warning",
            // A hash takes two seconds in a debug build otherwise.
            "SHIFTLOG_PASSWORD_COST": "10",
        ].merging(clock) { $1 }.merging(settings) { $1 }
    }

    static let accessTokenSeconds = 900

    /// Puts the wall clocks of all programs of a workspace whose clock moves ahead, those that run included, so that every
    /// access token there is has expired.
    func expireAccessTokens() throws {
        let file = URL(filePath: "\(root)/clock")
        let passed = (try? String(contentsOf: file, encoding: .utf8)).flatMap { Int($0) } ?? 0
        try Data("\(passed + Self.accessTokenSeconds + 1)".utf8).write(to: file, options: .atomic)
    }

    /// Of all users, unless a test needs another.
    static let password = "correct horse battery"

    /// Runs `shiftlog` in the home of that name.
    @discardableResult
    func shiftlog(
        _ arguments: [String], home: String = "home", server: Server, input: String? = nil
    ) async throws -> Outcome {
        try await start("shiftlog", arguments, home: home, server: server, input: input).outcome()
    }

    func start(
        _ name: String, _ arguments: [String], home: String = "home", server: Server? = nil, input: String? = nil,
        variables own: [String: String] = [:]
    ) throws -> Program {
        var variables = environment.merging(own) { $1 }
        variables["SHIFTLOG_HOME"] = "\(root)/\(home)"
        if let server { variables["SHIFTLOG_SERVER"] = server.url }
        return try Program(
            "\(Self.products)/\(name)", arguments, environment: variables, folder: root, input: input)
    }

    /// Starts the backend and returns once it listens.
    ///
    /// - Parameter users: Are created before; the first one is an administrator, the others are members.
    func startServer(
        port: Int = 0, users: [String] = ["ada"], password: String = Workspace.password,
        variables: [String: String] = [:]
    ) async throws -> Server {
        for name in users {
            try await createUser(name, role: name == users.first ? "admin" : "member", password: password)
        }
        let program = try start("shiftlog-server", ["serve", "--port", String(port)], variables: variables)
        let line = try await program.firstErrorLine(containing: "listening on http://127.0.0.1:")
        guard let url = line.split(separator: " ").last.map(String.init) else {
            throw EndToEndError("no address in '\(line)'")
        }
        return Server(url: url, program: program)
    }

    func createUser(_ name: String, role: String = "member", password: String = Workspace.password) async throws {
        let created = try await start(
            "shiftlog-server", ["create-user", name, "--role", role, "--password-stdin"], input: "\(password)\n"
        ).outcome()
        try require(created.status == 0, "create-user: \(created.err)")
    }

    /// A workspace and its server, at which `ada` is logged in.
    static func loggedIn(
        clockMoves: Bool = false, settings: [String: String] = [:], users: [String] = ["ada"]
    ) async throws -> (Workspace, Server) {
        let workspace = try Workspace(clockMoves: clockMoves, settings: settings)
        let server = try await workspace.startServer(users: users)
        try await workspace.login(server: server)
        return (workspace, server)
    }

    func login(
        as name: String = "ada", home: String = "home", server: Server, password: String = Workspace.password
    ) async throws {
        let outcome = try await startLogin(as: name, home: home, server: server, password: password).outcome()
        try require(outcome.status == 0, "login: \(outcome.err)")
    }

    func startLogin(
        as name: String, home: String = "home", server: Server, password: String = Workspace.password
    ) throws -> Program {
        try start(
            "shiftlog", ["login", "--username", name, "--password-stdin"], home: home, server: server,
            input: "\(password)\n")
    }

    /// A token from the file the client keeps them in.
    func keptToken(_ name: String, home: String = "home") throws -> String {
        let file = URL(filePath: "\(root)/\(home)/state/tokens/default/tokens.json")
        let kept = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        guard let token = kept?[name] as? String else { throw EndToEndError("no \(name) in \(file.path)") }
        return token
    }

    func write(_ text: String, to name: String) throws -> String {
        let path = "\(root)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }
}

struct Server: Sendable {
    let url: String
    let program: Program

    var port: Int { Int(url.split(separator: ":").last ?? "") ?? 0 }

    /// The value of a metric without labels; 0 before it was first counted.
    func metric(_ name: String) async throws -> Double {
        let text = try await get("/metrics").body
        for line in text.split(separator: "\n") where line.hasPrefix(name + " ") {
            return Double(line.dropFirst(name.count + 1)) ?? 0
        }
        return 0
    }

    func get(_ path: String, token: String? = nil) async throws -> RawHTTP.Answer {
        var headers = ["Host: 127.0.0.1", "Connection: close"]
        if let token { headers.append("Authorization: Bearer \(token)") }
        return try await RawHTTP.send(RawHTTP.request("GET", Array(path.utf8), headers: headers), port: port)
    }
}

struct EndToEndError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw EndToEndError(message()) }
}
