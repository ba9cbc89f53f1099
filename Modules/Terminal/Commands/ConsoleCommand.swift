public import ArgumentParser

/// A command of the command line. The app parses it and hands it what it works with.
public protocol ConsoleCommand: ParsableCommand, Sendable {
    /// What the command works with; the commands of a group share it.
    associatedtype Tools: Sendable
    var options: GlobalOptions { get }
    func run(_ tools: Tools, _ console: Console) async throws
}
