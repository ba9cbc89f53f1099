import ArgumentParser
import StrataService

struct CopyCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy everything from one database into a new one, also of another kind.",
        discussion: """
            Stop every server of both databases first. Users, sessions and the order of changes are copied as they are, \
            so clients notice nothing. An interrupted copy continues when the same command runs again. At the end both databases are \
            compared row by row; before that, no server starts on the new one. The old database stays as it is.
            """)

    @Option(help: "The database to read, sqlite:PATH or postgres://USER@HOST/NAME.")
    var from: String
    @Option(help: "The database to write: a new file, or an empty database.")
    var to: String
    @Option(help: "A JSON file with settings.")
    var config: String?

    /// The name in the list of connections of a database server. A program with another name must be stopped.
    private static var application: String { "\(ServerProgram.current.name) copy" }

    func run(environment: [String: String]) async throws {
        let (origin, goal) = (try settings(from, environment), try settings(to, environment))
        guard origin.database != goal.database else {
            throw SettingsError("--from and --to name the same database, \(origin.database); choose another target.")
        }
        try await open(origin, creates: false) { source in
            try await open(goal, creates: true) { target in
                let digests = try await copy(origin, source, goal, target)
                try Self.report(digests)
            }
        }
        try StandardStreams.output("Copied \(origin.database) to \(goal.database).")
    }

    private func settings(_ database: String, _ environment: [String: String]) throws -> Settings {
        try Settings(flags: [.database: database], configFile: config, environment: environment)
    }

    private func open(
        _ settings: Settings, creates: Bool, _ body: (any CopyableStore) async throws -> Void
    ) async throws {
        do {
            try await StoreOptions.withDatabase(
                settings, exclusive: true, creates: creates, application: Self.application, body)
        } catch {
            // Settled here: a file that cannot be used is not the database server of the other side.
            throw Failure(error)
        }
    }

    private func copy(
        _ origin: Settings, _ source: any CopyableStore, _ goal: Settings, _ target: any CopyableStore
    ) async throws -> [TableDigest] {
        let old = try await Backend(offline: origin, store: source)
        let new = try await Backend(offline: goal, store: target)
        var progress = CopyProgressLine()
        defer { progress.end() }
        return try await StoreCopy(
            from: StoreCopy.Side(source, migrations: old.service.migrations),
            to: StoreCopy.Side(target, migrations: new.service.migrations)
        ).run(
            contents: {
                for (from, to) in zip(old.contents, new.contents) {
                    try await ContentCopy(from: from, to: to, rowsIn: source).run { count in
                        progress.show(.stored(contents: count))
                    }
                }
            }, { progress.show($0) })
    }

    /// One line for each table: name, rows, digest.
    private static func report(_ digests: [TableDigest]) throws {
        let rows = digests.map { digest in
            let count = String(digest.rows)
            return [digest.table, String(repeating: " ", count: max(0, 10 - count.count)) + count, digest.sha256]
        }
        for line in TextColumns.lines(rows) { try StandardStreams.output(line) }
    }
}
