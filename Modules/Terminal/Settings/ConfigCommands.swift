public import ArgumentParser
import StrataSystem

/// What `config` reads and writes.
public struct ConfigTools: Sendable {
    /// - Throws: `CommandFailure` for a value that the program would refuse.
    public typealias Check = @Sendable (_ name: String, _ value: String) throws -> Void

    let file: SettingsFile
    private let meanings: [String: String]
    let check: Check

    /// - Parameters:
    ///   - meanings: A sentence for each setting, with its default.
    ///   - check: Of a value before it is written; the name is without that of a profile.
    public init(_ file: SettingsFile, meanings: [String: String], check: @escaping Check) {
        (self.file, self.meanings, self.check) = (file, meanings, check)
    }

    /// The names that there are, then those of the profiles in the file.
    var names: [String] { file.names + file.all.keys.filter { !file.names.contains($0) }.sorted() }

    /// The names, for their completion by a shell.
    public var candidates: [IDCandidate] {
        names.filter { (try? file.parts(of: $0)) != nil }.map { IDCandidate(id: $0, title: meaning($0)) }
    }

    /// The profiles of the file with their servers, for their completion by a shell.
    public var profileCandidates: [IDCandidate] {
        file.profileNames.map { IDCandidate(id: $0, title: file["server", profile: $0] ?? "") }
    }

    func meaning(_ name: String) -> String { meanings[name.split(separator: ".").last.map(String.init) ?? name] ?? "" }
}

/// A command about the settings file.
public protocol ConfigCommand: ConsoleCommand where Tools == ConfigTools {}

/// `config`.
public struct ConfigGroup: ParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Read and write the settings file.",
        discussion: """
            A flag wins over the environment, the environment over the file, the file over the default. The file is JSON; comments, \
            // and /* */, stay where they are.
            """,
        subcommands: [ConfigListCommand.self, ConfigGetCommand.self, ConfigSetCommand.self])
    public init() {}
}

/// `config list`.
struct ConfigListCommand: ConfigCommand {
    static let configuration = CommandConfiguration(
        "list", "List the settings and what the file says.", example: "config list")

    @OptionGroup var options: GlobalOptions

    func run(_ tools: ConfigTools, _ console: Console) async throws {
        let all = tools.file.all
        if console.isJSON { return try console.json(all) }
        var table = Table([
            .init("NAME", isWhole: true), .init("VALUE", isFlexible: true), .init("MEANING", isFlexible: true),
        ])
        for name in tools.names {
            table.add([.init(name, .bold), .init(all[name] ?? ""), .init(tools.meaning(name), .dim)])
        }
        try await console.paged { console in
            console.table(table, empty: "There are no settings.")
            console.note("The file is '\(tools.file.path)'.")
        }
    }
}

/// `config get NAME`.
struct ConfigGetCommand: ConfigCommand {
    static let configuration = CommandConfiguration(
        "get", "Print what the file says for one setting.", example: "config get server")

    @Argument(
        help: "From 'config list'; 'profiles.NAME.server' for a profile.", completion: .candidates(.settings))
    var name: String
    @OptionGroup var options: GlobalOptions

    func run(_ tools: ConfigTools, _ console: Console) async throws {
        _ = try tools.file.parts(of: name)
        guard let value = tools.file.all[name] else {
            throw CommandFailure(.notFound, "The file does not set '\(name)'. \(tools.meaning(name))")
        }
        try console.show([name: value]) { console.out(value) }
    }
}

/// `config set NAME VALUE`.
struct ConfigSetCommand: ConfigCommand {
    static let configuration = CommandConfiguration(
        "set", "Write one setting into the file; all else in it stays.",
        example: "config set server https://api.example.org")

    @Argument(
        help: "From 'config list'; 'profiles.NAME.server' for a profile.", completion: .candidates(.settings))
    var name: String
    @Argument(help: "The new value.") var value: String
    @OptionGroup var options: GlobalOptions

    func run(_ tools: ConfigTools, _ console: Console) async throws {
        let parts = try tools.file.parts(of: name)
        try tools.check(parts.last ?? name, value)
        try tools.file.set(name, to: value)
        try console.confirm(name, "set to \(value)")
    }
}
