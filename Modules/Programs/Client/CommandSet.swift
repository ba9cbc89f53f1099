public import ArgumentParser
public import StrataDomain
public import StrataTerminal

/// Commands with the same tools, and the closure that makes the tools.
///
/// A row is `.remote`, `.cached` or `.offline` with a group and its entity, or a composition of the app's own.
public struct CommandSet: Sendable {
    /// Commands and groups of commands, in the order of the help.
    let commands: [any ParsableCommand.Type]
    let run: @Sendable (any ConsoleCommand, Wiring, Console) async throws -> Void
    /// The entities that others may refer to, by collection.
    let related: [String: RelatedSource]
    /// What takes back writes that go straight to the server, by collection.
    var takesBack: [String: TakeBack] = [:]

    /// Sends the inverse of a write.
    typealias TakeBack = @Sendable (Wiring, OnlineWrite) async throws -> UndoneWrite

    /// The entities of a collection, for the options and texts that name one.
    ///
    /// - Parameter local: The offline store, if the command has opened it.
    public typealias RelatedSource = @Sendable (_ wiring: Wiring, _ local: LocalData?) -> RelatedEntities

    /// Commands that `run` runs.
    ///
    /// - Parameters:
    ///   - related: The entities that others may refer to, by collection. Default: none.
    ///   - run: Called with one of the commands or their subcommands.
    public init(
        _ commands: [any ParsableCommand.Type], related: [String: RelatedSource] = [:],
        run: @escaping @Sendable (any ConsoleCommand, Wiring, Console) async throws -> Void
    ) {
        self.commands = commands
        self.related = related
        self.run = run
    }

    /// Commands with the same tools.
    ///
    /// - Parameter tools: Makes the `Tools` of the commands.
    public init(
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
    /// Whether the command runs with tools of this type. For a `CommandSet` whose commands have different tools.
    public func takes<Some>(_ type: Some.Type) -> Bool { Tools.self == type }

    /// Runs the command with tools of its own type.
    ///
    /// - Throws: The error of the command, or that `tools` are those of another one.
    public func run(with tools: any Sendable, _ console: Console) async throws {
        guard let tools = tools as? Tools else {
            throw DomainError.unexpected(
                "'\(Self.configuration.commandName ?? "\(Self.self)")' was handed the tools of another command; "
                    + "please report it.")
        }
        try await run(tools, console)
    }
}
