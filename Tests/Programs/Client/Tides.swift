import ArgumentParser
import StrataTerminal
import StrataTesting

@testable import StrataClientProgram

/// A program of another name than the demo's, with a home of its own.
struct Tides {
    let program: ClientProgram
    let home: TemporaryDirectory

    init(
        commands: [CommandSet] = [.sync, .cache, .config, .status], roles: [String] = [], name: String = "tide-desk",
        synchronised: [Synchronised] = []
    ) throws {
        home = try TemporaryDirectory()
        program = ClientProgram(
            name: name, release: "1.2.0", abstract: "Tide levels.", defaultServer: "http://tides.test:1",
            roles: roles, commands: commands, synchronised: synchronised)
    }

    /// - Parameter variables: Without the prefix, `SERVER`; the home is set.
    func settings(_ flags: [String] = [], variables: [String: String] = [:]) throws -> Settings {
        var environment = [program.variable("HOME"): home.path]
        for (name, value) in variables { environment[program.variable(name)] = value }
        return try Settings(program, GlobalOptions.parse(flags), environment: environment)
    }
}
