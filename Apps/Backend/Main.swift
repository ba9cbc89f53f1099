import ArgumentParser
import FoundationEssentials
import StrataSystem

/// `shiftlog-server`: parse, read the settings, wire, run, exit.
@main struct Main {
    static func main() async {
        CoreDumps.forbid()
        // A closed pipe is an error of `write` instead of a signal.
        signal(SIGPIPE, SIG_IGN)
        do {
            let command = try ShiftlogServer.parseAsRoot()
            guard let command = command as? any ServerCommand else {
                // No subcommand, `help` or `--version`: the parser's own answer.
                var command = command
                return try command.run()
            }
            try await run(command)
        } catch {
            ShiftlogServer.exit(withError: error)
        }
    }

    /// Exits with one line and a status; an error thrown from `main` would trap.
    private static func run(_ command: any ServerCommand) async throws {
        do { try await command.run(environment: ProcessInfo.processInfo.environment) } catch {
            let failure = Failure(error)
            StandardStreams.error("shiftlog-server: \(failure.message)")
            exit(failure.status)
        }
    }
}
