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
    func `flags count before the environment, that before the file, and that before defaults`(
        file: String, variables: [String: String], flags: [String], server: String
    ) async throws {
        let result = try await status(file, variables, flags)
        #expect(result.out.contains("\(server) "), "\(result.out)\(result.err)")
    }

    @Test func `a token store that the file names is checked`() async throws {
        let result = try await status(#"{"token_store": "vault"}"#)
        #expect(result.status == 64)
        #expect(result.err.contains("'vault'"))
    }

    @Test func `a file that is no JSON is named`() async throws {
        let result = try await status("server = x")
        #expect(result.status == 64)
        #expect(result.err.contains("config.json"))
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
