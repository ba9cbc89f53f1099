import ArgumentParser
import StrataService
import StrataTesting
import Testing

@testable import StrataServerProgram

private struct CountCrates: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "count-crates", abstract: "Count the crates.")
    @OptionGroup var options: StoreOptions
    @Flag var twice = false
    @TaskLocal static var environment: [String: String] = [:]
    @TaskLocal static var found: @Sendable (Int) -> Void = { _ in }

    func run() async throws {
        let count = try await options.withStore(environment: Self.environment) { store, settings in
            let sessions = try await store.read { reader in
                try reader.row("SELECT COUNT(*) AS count FROM auth_session")?.int("count")
            }
            return (sessions ?? -1) + (settings.number(.crates) ?? 0)
        }
        Self.found(twice ? 2 * count : count)
    }
}

@Suite struct `Commands of an owner` {
    private let program = ServerProgram(
        name: "order-desk-server", client: "order-desk", release: "1", abstract: "", settings: [.crates],
        features: { _, _ in [] }, commands: [CountCrates.self])

    @Test func `one is parsed and listed beside those of the server`() throws {
        try ServerProgram.$current.withValue(program) {
            let command = try ProgramCommand.parseAsRoot(["count-crates", "--twice", "--database", "sqlite:/x"])
            let own = try #require(command as? CountCrates)
            #expect(own.twice && own.options.database == "sqlite:/x")
            #expect(ProgramCommand.helpMessage().contains("count-crates            Count the crates."))
            #expect(throws: (any Error).self) { try ProgramCommand.parseAsRoot(["count-crates", "--thrice"]) }
        }
    }

    @Test func `one reads the database and the settings of the server`() async throws {
        try await withTemporaryDirectory { directory in
            try await ServerProgram.$current.withValue(program) {
                let environment = ["ORDER_DESK_HOME": directory, "ORDER_DESK_CRATES": "7"]
                let migrate = try #require(try ProgramCommand.parseAsRoot(["migrate"]) as? MigrateCommand)
                let settings = try migrate.store.settings(environment)
                try await StoreOptions.withDatabase(settings) { database in
                    try await Backend(offline: settings, store: database).service.prepare()
                }
                let counts = CallCounter()
                try await CountCrates.$environment.withValue(environment) {
                    try await CountCrates.$found.withValue({ for _ in 0..<$0 { counts.increment() } }) {
                        let command = try ProgramCommand.parseAsRoot(["count-crates", "--twice"])
                        try await #require(command as? CountCrates).run()
                    }
                }
                #expect(counts.value == 14)
            }
        }
    }

    @Test func `one without a database ends with the error of the server's commands`() async throws {
        try await withTemporaryDirectory { directory in
            try await ServerProgram.$current.withValue(program) {
                let command = try #require(try ProgramCommand.parseAsRoot(["count-crates"]) as? CountCrates)
                let error = await #expect(throws: StoreError.self) {
                    try await CountCrates.$environment.withValue(["ORDER_DESK_HOME": directory]) {
                        try await command.run()
                    }
                }
                #expect(error.map { Failure($0).status } == 73)
            }
        }
    }
}
