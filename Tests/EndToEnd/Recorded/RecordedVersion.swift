import Foundation
import GRDB
import Testing

/// What a released version stored and sent: a folder of `Tests/Recorded` that `Scripts/record --version` made.
struct RecordedVersion: Sendable, CustomTestStringConvertible {
    /// What the tests need to know about the content.
    struct Facts: Decodable, Sendable {
        /// Seconds since 1970.
        let recordedAt: Int
        let password, signing, hostKey: String
        /// Ids of a runbook and of a file of the entry `full`.
        let runbook, attachment: String
        /// Ids of entries: synchronised, removed here, edited on both sides, edited here, removed by the server, created here.
        let full, gone, disputed, edited, removed, queued: String
    }

    /// Major and minor number: `1.0`.
    let name: String
    var testDescription: String { name }

    /// All that are stored, the oldest first.
    static let all = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [])
        .filter { $0.first?.isNumber == true }
        .sorted { $0.compare($1, options: .numeric) == .orderedAscending }
        .map { RecordedVersion(name: $0) }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Recorded").standardizedFileURL.path

    private var folder: String { "\(Self.root)/\(name)" }

    func text(_ path: String) throws -> String { try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8) }

    func facts() throws -> Facts {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Facts.self, from: Data(try text("facts.json").utf8))
    }

    /// Copies the recorded folder `path`, makes the databases in it, and lets only this user read it, as the programs do.
    ///
    /// - Parameter address: Stands where the recording has ADDRESS.
    func install(_ path: String, at target: String, address: String = "") throws {
        let files = FileManager.default
        try files.createDirectory(atPath: target, withIntermediateDirectories: true)
        chmod(target, 0o700)
        for name in try files.subpathsOfDirectory(atPath: "\(folder)/\(path)").sorted() {
            var isFolder = ObjCBool(false)
            let isThere = files.fileExists(atPath: "\(folder)/\(path)/\(name)", isDirectory: &isFolder)
            try require(isThere, "\(name) is gone")
            if isFolder.boolValue {
                try files.createDirectory(atPath: "\(target)/\(name)", withIntermediateDirectories: true)
                chmod("\(target)/\(name)", 0o700)
                continue
            }
            let content = try text("\(path)/\(name)").replacing("ADDRESS", with: address)
            let made = "\(target)/\(name.hasSuffix(".sql") ? String(name.dropLast(4)) : name)"
            if name.hasSuffix(".sql") {
                try Self.makeDatabase(content, at: made)
            } else {
                try Data(content.utf8).write(to: URL(filePath: made))
            }
            chmod(made, 0o600)
        }
    }

    /// Runs the statements that make a SQLite database in a new file.
    static func makeDatabase(_ statements: String, at path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: statements) }
        try queue.close()
        chmod(path, 0o600)
    }
}

extension RecordedVersion {
    /// A database of the server.
    enum Engine: Sendable, CaseIterable {
        case sqlite
        case postgres

        /// Those that can be used here: PostgreSQL needs the address of a server in `STRATA_TEST_POSTGRES`.
        static let usable = allCases.filter { $0 == .sqlite || postgresAddress != nil }

        fileprivate static let postgresAddress = ProcessInfo.processInfo.environment["STRATA_TEST_POSTGRES"]
    }

    /// Runs `body` with a server of today on a copy of the recorded database.
    ///
    /// - Parameter later: How long ago the recording is for the clocks of all programs, in seconds. After 3,600 the access token of a
    ///   home has expired, and its session has not.
    func serve(
        _ engine: Engine = .sqlite, later: Int = 3600, _ body: (Workspace, Server, Facts) async throws -> Void
    ) async throws {
        let facts = try facts()
        let now = Int(Date().timeIntervalSince1970)
        let clock = try Faults(clock: .off(seconds: facts.recordedAt + later - now)).variables()
        let workspace = try Workspace(settings: clock.merging(["SHIFTLOG_SIGNING_SECRET": facts.signing]) { $1 })
        switch engine {
        case .sqlite:
            try Self.makeDatabase(try text("server/sqlite.sql"), at: "\(workspace.root)/server.sqlite")
            try install("server/attachments", at: "\(workspace.root)/server.sqlite.attachments")
            try await body(workspace, try await workspace.startServer(users: []), facts)
        case .postgres:
            let schema = "strata_recorded_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
            let address = Engine.postgresAddress ?? ""
            let own = "\(address)\(address.contains("?") ? "&" : "?")options=-csearch_path%3D\(schema)"
            try await psql(["-c", "CREATE SCHEMA \(schema)", address], workspace)
            do {
                try await psql(["-f", "\(folder)/server/postgres.sql", own], workspace)
                let server = try await workspace.startServer(users: [], variables: ["SHIFTLOG_DATABASE": own])
                try await body(workspace, server, facts)
                server.program.signal(SIGTERM)
                _ = try await server.program.outcome()
            } catch {
                try? await psql(["-c", "DROP SCHEMA \(schema) CASCADE", address], workspace)
                throw error
            }
            try await psql(["-c", "DROP SCHEMA \(schema) CASCADE", address], workspace)
        }
    }

    private func psql(_ arguments: [String], _ workspace: Workspace) async throws {
        let outcome = try await Program(
            "/usr/bin/env", ["psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1"] + arguments,
            environment: ["PATH": workspace.environment["PATH"] ?? "", "HOME": workspace.root],
            folder: workspace.root
        ).outcome()
        try require(outcome.status == 0, "psql: \(outcome.err)")
    }
}
