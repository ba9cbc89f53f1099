import Foundation
import Testing

/// Secrets that would be recognised wherever they turned up.
@Suite(.serialized) struct CanaryTests {
    @Test func `neither password nor tokens are in any output, log or file but the token file`() async throws {
        let password = "canary-in-the-mine-4711"
        let workspace = try Workspace(settings: ["SHIFTLOG_LOG_LEVEL": "trace"])
        let server = try await workspace.startServer(password: password)
        var outputs: [String] = []
        func run(_ arguments: [String], expecting status: Int32? = 0, input: String? = nil) async throws {
            let result = try await workspace.shiftlog(arguments + ["-v"], server: server, input: input)
            outputs.append(result.out + result.err)
            if let status { #expect(result.status == status, "\(arguments): \(result.err)") }
        }
        let login = ["login", "--username", "ada", "--password-stdin"]
        try await run(login, expecting: 77, input: password + "-not\n")
        try await run(login, input: password + "\n")
        let first = try ["access_token", "refresh_token"].map { try workspace.keptToken($0) }

        let unknown = "01890000-0000-7000-8000-000000000000"
        let file = try workspace.write("content\n", to: "file.txt")
        try await run(["whoami"])
        try await run(["sessions", "list"])
        try await run(["journal", "add", "it broke", "--host", "web1"])
        try await run(["sync"])
        try await run(["journal", "list", "--json"])
        try await run(["runbooks", "create", "--title", "Restart", "--file", file])
        try await run(["runbooks", "list", "--refresh"])
        try await run(["attachments", "add", unknown, file], expecting: 66)
        try await run(["attachments", "get", unknown], expecting: 66)
        try await run(["request", "GET", "/v1/me", "--trace", "-i"])
        try await run(["request", "GET", "/v1/nothing", "--json", "--trace"], expecting: 66)
        try await run(["request", "POST", "/v1/journal/entries", "-d", #"{"wrong":true}"#], expecting: 65)
        try await run(["fetch", "/v1/me", "-o", workspace.root + "/home/me.json"])
        try await run(["fetch", "/v1/nothing", "-o", workspace.root + "/home/nothing"], expecting: 66)
        try await run(["doctor"], expecting: nil)
        try await run(["status"], expecting: nil)
        let last = try ["access_token", "refresh_token"].map { try workspace.keptToken($0) }
        let port = server.port
        server.program.signal(SIGTERM)
        let log = try await server.program.outcome()
        outputs.append(log.out + log.err)
        try await run(["whoami"], expecting: 69)
        #expect(outputs.last?.contains("\(port)") ?? false)

        // Half a token is as bad as a whole one.
        let canaries =
            [password]
            + (first + last).flatMap { token in
                [String(token.prefix(token.count / 2)), String(token.suffix(token.count / 2))]
            }
        #expect(outputs.joined().contains("Authorization: <redacted>"), "the client logged no header fields")
        #expect(log.err.contains("request_id"), "the server logged nothing")
        for canary in canaries {
            #expect(canary.count > 16)
            for output in outputs { #expect(!output.contains(canary), "\(Self.around(canary, in: output))") }
        }
        // What the tests themselves hand to a program is in *.in; everything else was written by the programs.
        let holders = try Self.files(under: workspace.root).filter { path in
            let bytes = FileManager.default.contents(atPath: path) ?? Data()
            return !path.hasSuffix(".in") && canaries.contains { bytes.range(of: Data($0.utf8)) != nil }
        }
        #expect(holders.map { $0.dropFirst(workspace.root.count) } == ["/home/state/tokens/default/tokens.json"])
    }

    /// The place, without the canary itself.
    private static func around(_ canary: String, in output: String) -> String {
        guard let place = output.range(of: canary) else { return "" }
        return "…\(output[..<place.lowerBound].suffix(120))[canary]"
    }

    private static func files(under folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).map { folder + "/" + $0 }.filter { path in
            var isFolder = ObjCBool(false)
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
        }
    }
}
