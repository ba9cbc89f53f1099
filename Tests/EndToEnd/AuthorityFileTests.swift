import Foundation
import StrataTesting
import Testing

/// A server whose authority only `SHIFTLOG_CA_FILE` names.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "openssl is not installed"))
struct AuthorityFileTests {
    @Test func `a server is reached by the authority in SHIFTLOG_CA_FILE, and not without it`() async throws {
        let workspace = try Workspace()
        let (certificate, key) = ("\(workspace.root)/cert.pem", "\(workspace.root)/key.pem")
        let made = try await openssl(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj",
                "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
            ], workspace
        ).outcome()
        try require(made.status == 0, "openssl req: \(made.err)")
        let server = try openssl(
            ["s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www"], workspace)
        try await eventually("openssl listens") { server.outputSoFar.contains("\n") && address(server) != nil }
        let url = "https://127.0.0.1:\(address(server) ?? "0")/"

        func get(_ variables: [String: String]) async throws -> Outcome {
            try await workspace.start("shiftlog", ["request", "GET", url, "--retries", "0"], variables: variables)
                .outcome()
        }
        let trusted = try await get(["SHIFTLOG_CA_FILE": certificate])
        #expect(trusted.status == 0 && trusted.out.contains("s_server"), "\(trusted.err)")
        let fetched = try await workspace.start(
            "shiftlog", ["fetch", url, "-o", workspace.root + "/page"], variables: ["SHIFTLOG_CA_FILE": certificate]
        ).outcome()
        #expect(fetched.status == 0, "\(fetched.err)")
        let unknown = try await get([:])
        #expect(unknown.status == 69)
        #expect(unknown.err.contains("SHIFTLOG_CA_FILE names a file of further authorities"), "\(unknown.err)")
    }

    private func openssl(_ arguments: [String], _ workspace: Workspace) throws -> Program {
        try Program("/usr/bin/openssl", arguments, environment: workspace.environment, folder: workspace.root)
    }

    /// The port in `ACCEPT 127.0.0.1:37255`.
    private func address(_ server: Program) -> String? {
        server.outputSoFar.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }?.split(separator: ":").last.map(
            String.init)
    }
}
