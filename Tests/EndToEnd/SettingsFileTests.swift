import Foundation
import Testing

/// `config.json` of the command line.
struct SettingsFileTests {
    @Test(arguments: [
        (#"{"server": "http://file.test"}"#, [:], [], "http://file.test"),
        (#"{"profile": "ops", "profiles": {"ops": {"server": "http://ops.test"}}}"#, [:], [], "http://ops.test"),
        (
            #"{"server": "http://file.test"}"#, ["SHIFTLOG_SERVER": "http://environment.test"], [],
            "http://environment.test"
        ),
        (
            #"{"server": "http://file.test"}"#, ["SHIFTLOG_SERVER": "http://environment.test"],
            ["--server", "http://flag.test"], "http://flag.test"
        ),
        (#"{}"#, [:], [], "http://127.0.0.1:8080"),
    ])
    func `a flag wins over the environment, the environment over the file, the file over the default`(
        file: String, variables: [String: String], flags: [String], server: String
    ) async throws {
        let result = try await status(file, variables, flags)
        #expect(result.out.contains("\(server) "), "\(result.out)\(result.err)")
    }

    @Test(arguments: [
        (#"{"servr": "x"}"#, "'servr'"), (#"{"token_store": "vault"}"#, "'vault'"), ("[1", "no JSON object"),
    ])
    func `a mistake in the file is a usage error that names it`(file: String, words: String) async throws {
        let result = try await status(file)
        #expect(result.status == 64)
        #expect(result.err.contains(words), "\(result.err)")
    }

    @Test func `the error names a home that is a file, and no path inside it`() async throws {
        let workspace = try Workspace()
        _ = try workspace.write("no folder", to: "home")
        let result = try await workspace.start("shiftlog", ["journal", "list", "--offline"]).outcome()
        #expect(result.status == 73)
        #expect(result.err.contains("The home '\(workspace.root)/home' cannot be used: it is no directory."))
        #expect(result.err.contains("SHIFTLOG_HOME"), "\(result.err)")
    }

    @Test(arguments: [
        ("/no/such/file", "there is no such file."), ("/dev/null", "Not a regular file."),
        ("/etc/hostname", "no certificate"),
    ])
    func `a file of authorities that cannot be used is named with the next step`(
        path: String, reason: String
    ) async throws {
        let workspace = try Workspace()
        for words in [
            ["request", "GET", "https://127.0.0.1:1/"], ["fetch", "https://127.0.0.1:1/", "-o", "/dev/null"],
            ["whoami"], ["cache-proxy", "--listen", "127.0.0.1:0", "--origin", "https://127.0.0.1:1"],
        ] {
            let result = try await workspace.start("shiftlog", words, variables: ["SHIFTLOG_CA_FILE": path]).outcome()
            #expect(result.status == 73, "\(words)")
            #expect(result.err.contains("'\(path)' cannot be used: ") && result.err.contains(reason), "\(result.err)")
            #expect(result.err.contains("Correct SHIFTLOG_CA_FILE"))
        }
    }

    /// The words are the next step.
    static let strangers: [(path: String, content: String?, words: String)] = [
        ("tokens/default/tokens.json", nil, "move it away"), ("tokens", "no folder", "move it away"),
        ("tokens/default/tokens.json", "", "'shiftlog login' replaces it"),
        ("tokens/default/tokens.json", #"{"server": 1}"#, "'shiftlog login' replaces it"),
    ]

    @Test(arguments: strangers, [["whoami"], ["sync"], ["request", "GET", "/v1/me"]])
    func `a session that cannot be read is an error, not a logout`(
        file: (path: String, content: String?, words: String), command: [String]
    ) async throws {
        let workspace = try Workspace()
        try place(file.content, at: "\(workspace.root)/home/state/\(file.path)")
        let result = try await workspace.start("shiftlog", command).outcome()
        #expect(result.status == 73)
        #expect(result.err.contains("'\(workspace.root)/home/state/tokens/default/tokens.json'"), "\(result.err)")
        #expect(result.err.contains(file.words), "\(result.err)")
        #expect(!result.err.contains("not logged in"))
        // What is kept here needs no session.
        #expect(try await workspace.start("shiftlog", ["journal", "list", "--offline"]).outcome().status == 0)
    }

    @Test func `a login replaces a damaged token file, and leaves a folder in its place alone`() async throws {
        let workspace = try Workspace()
        let server = try await workspace.startServer()
        try place("{", at: "\(workspace.root)/home/state/tokens/default/tokens.json")
        try await workspace.login(server: server)
        #expect(try await workspace.shiftlog(["whoami"], server: server).status == 0)

        let inFolder = "\(workspace.root)/other/state/tokens/default/tokens.json/notes"
        try place("mine", at: inFolder)
        let refused = try await workspace.shiftlog(
            ["login", "--username", "ada", "--password-stdin"], home: "other", server: server,
            input: "\(Workspace.password)\n")
        #expect(refused.status == 73)
        #expect(FileManager.default.contents(atPath: inFolder) == Data("mine".utf8))
    }

    private func place(_ content: String?, at path: String) throws {
        let folder = content == nil ? path : URL(filePath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard let content else { return }
        _ = FileManager.default.createFile(
            atPath: path, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600])
    }

    private func status(
        _ file: String, _ variables: [String: String] = [:], _ flags: [String] = []
    ) async throws -> Outcome {
        let workspace = try Workspace()
        let folder = "\(workspace.root)/home/config"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(file.utf8).write(to: URL(filePath: "\(folder)/config.json"))
        return try await workspace.start("shiftlog", ["status", "--offline"] + flags, variables: variables).outcome()
    }
}
