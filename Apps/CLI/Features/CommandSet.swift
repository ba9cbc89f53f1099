import ArgumentParser
import StrataDomain
import StrataTerminal

/// Commands with the same tools, and the closure that makes the tools.
struct CommandSet: Sendable {
    /// Commands and groups of commands, in the order of the help.
    let commands: [any ParsableCommand.Type]
    let run: @Sendable (any ConsoleCommand, Wiring, Console) async throws -> Void
    /// The entities that others may refer to, by collection.
    let related: [String: RelatedSource]

    /// - Parameter local: The offline store, if the command has opened it.
    typealias RelatedSource = @Sendable (_ wiring: Wiring, _ local: LocalData?) -> RelatedEntities

    /// - Parameters:
    ///   - related: Default: none.
    ///   - run: Called with one of the commands or their subcommands.
    init(
        _ commands: [any ParsableCommand.Type], related: [String: RelatedSource] = [:],
        run: @escaping @Sendable (any ConsoleCommand, Wiring, Console) async throws -> Void
    ) {
        self.commands = commands
        self.related = related
        self.run = run
    }

    /// - Parameter tools: Makes the `Tools` of the commands.
    init(
        _ commands: any ParsableCommand.Type...,
        tools: @escaping @Sendable (Wiring) async throws -> any Sendable
    ) {
        self.init(commands) { command, wiring, console in
            try await command.run(with: tools(wiring), console)
        }
    }

    /// Whether `type` is one of the commands, or of their subcommands.
    func contains(_ type: any ParsableCommand.Type) -> Bool { Self.isAmong(commands, type) }

    private static func isAmong(_ commands: [any ParsableCommand.Type], _ type: any ParsableCommand.Type) -> Bool {
        commands.contains { $0 == type || isAmong($0.configuration.subcommands, type) }
    }
}

extension ConsoleCommand {
    /// Runs the command with tools of its own type.
    func run(with tools: any Sendable, _ console: Console) async throws {
        guard let tools = tools as? Tools else {
            throw DomainError.unexpected(
                "'\(Self.configuration.commandName ?? "\(Self.self)")' was handed the tools of another command; "
                    + "please report it.")
        }
        try await run(tools, console)
    }
}
