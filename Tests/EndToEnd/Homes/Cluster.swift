import Foundation

/// The replicas, balancer and PostgreSQL that `Scripts/lib/cluster.py` runs as one process.
enum Cluster {
    /// What the process does at a signal.
    static let faults: [(signal: Int32, name: String)] = [
        (SIGUSR1, "kills of a replica"), (SIGUSR2, "immediate stops of PostgreSQL"), (SIGHUP, "kills of the balancer"),
        (SIGALRM, "demands to stop a replica inside of a write"),
    ]

    private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../../Scripts/lib/cluster.py"
    ).standardizedFileURL.path

    static func start(_ arguments: [String], in workspace: Workspace) throws -> Program {
        try Program(
            "/usr/bin/env", ["python3", "-B", script] + arguments, environment: workspace.environment,
            folder: workspace.root)
    }

    /// Replicas that were stopped inside of a write so far, as the process says.
    static func standstills(of program: Program) -> Int {
        program.errorsSoFar.split(separator: "\n").count { $0.contains("stands still inside of a write") }
    }

    /// Copies what the cluster stores about the journal to the file of a server on SQLite.
    static func mirror(_ workspace: Workspace) async throws {
        let outcome = try await start(
            ["mirror", "--folder", "\(workspace.root)/cluster", "\(workspace.root)/server.sqlite"], in: workspace
        ).outcome()
        try require(outcome.status == 0, "mirror: \(outcome.err)")
    }
}

extension Workspace {
    /// Starts a cluster with the account `ada`, and returns once it listens.
    func startCluster(replicas: Int) async throws -> Server {
        let folder = "\(root)/cluster"
        let program = try Cluster.start(
            [
                "serve", "--program", "\(Self.products)/shiftlog-server", "--folder", folder, "--replicas",
                String(replicas),
            ], in: self)
        let line = try await program.firstErrorLine(containing: "listening on http://127.0.0.1:")
        let socket = "\(folder)/pg".addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let created = try await start(
            "shiftlog-server", ["create-user", "ada", "--role", "admin", "--password-stdin"],
            input: "\(Self.password)\n",
            variables: ["SHIFTLOG_DATABASE": "postgres://postgres@/postgres?host=\(socket)"]
        ).outcome()
        try require(created.status == 0, "create-user: \(created.err)")
        return Server(url: String(line.split(separator: " ").last ?? ""), program: program)
    }
}
