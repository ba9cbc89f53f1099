public import ArgumentParser
import StrataSystem

/// A command of the command line. The app parses it and passes its tools.
public protocol ConsoleCommand: ParsableCommand, Sendable {
    /// The tools of the command, shared by the commands of a group.
    associatedtype Tools: Sendable
    /// The options that every command has.
    var options: GlobalOptions { get }
    /// The time limit of the whole command. Default: `--timeout`; `nil` for a command that runs until it is interrupted, or
    /// that bounds its only call itself.
    var timeLimit: Duration? { get }
    /// Does the work of the command.
    func run(_ tools: Tools, _ console: Console) async throws
}

extension ConsoleCommand {
    public var timeLimit: Duration? { options.deadline }
}

extension CommandConfiguration {
    /// - Parameter example: A command line without the name of the program.
    public init(_ name: String, _ abstract: String, example: String) {
        self.init(
            commandName: name, abstract: abstract, discussion: "Example: \(ProgramName.current) \(example)")
    }
}
