public import FoundationEssentials
import StrataSystem

/// The program that shows text which is longer than the terminal: `PAGER`, or `less -FRX`.
struct Pager: Sendable {
    let command: String

    /// - Returns: `nil` where the environment wants none: `PAGER` is empty or `cat`, or the terminal is dumb.
    init?(environment: [String: String]) {
        let command = environment["PAGER"] ?? "less -FRX"
        guard !["", "cat"].contains(command), environment["TERM", default: "dumb"] != "dumb" else { return nil }
        self.command = command
    }

    /// Shows `text`, until the user leaves it.
    ///
    /// - Returns: Whether the program was found.
    func show(_ text: String) async -> Bool {
        let command = command
        return await runBlocking {
            guard let pipe = popen(command, "w") else { return false }
            // A user who leaves early closes the pipe, which is no failure.
            _ = fputs(text, pipe)
            // The status of the shell for a program that is not there (sh(1)).
            return (pclose(pipe) >> 8) & 0xFF != 127
        }
    }
}

extension Console {
    /// Prints what `body` prints; on a terminal through the pager when it has more lines than the terminal. Notes follow it.
    ///
    /// - Parameter environment: Default: that of this process.
    public func paged(
        environment: [String: String] = ProcessInfo.processInfo.environment, _ body: (Console) throws -> Void
    ) async throws {
        // Only the real terminal can be handed to another program.
        guard output is DescriptorSink, let width = output.width, let height = output.height, !isJSON,
            let pager = Pager(environment: environment)
        else { return try body(self) }
        let (text, notes) = (MemorySink(width: width, height: height), MemorySink(width: errors.width, height: height))
        let failure: (any Error)?
        do {
            try body(writing(to: text, notes))
            failure = nil
        } catch { failure = error }
        let lines = text.bytes.count { $0 == UInt8(ascii: "\n") }
        let isShown = lines < height ? false : await pager.show(text.text)
        if !isShown { output.write(text.text) }
        errors.write(notes.text)
        if let failure { throw failure }
    }

    /// The same console with other sinks.
    private func writing(to output: any TextSink, _ errors: any TextSink) -> Console {
        Console(
            json: isJSON, color: outputColored ? .auto : .never, output: output, errors: errors, input: input,
            clock: clock,
            times: times, hostName: hostName)
    }
}
