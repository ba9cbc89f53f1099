public import ArgumentParser

/// A command of the command line. The app parses it, builds what it needs, and calls the `run` of the more special
/// protocol it belongs to.
public protocol ConsoleCommand: ParsableCommand, Sendable {
    var options: GlobalOptions { get }
}
