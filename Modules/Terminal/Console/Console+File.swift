public import FoundationEssentials
import StrataDomain
import StrataSystem

extension Console {
    /// Writes the results that `body` prints to a file, which appears complete or not at all.
    ///
    /// - Parameter path: `nil` and `-` are standard output.
    /// - Throws: `CommandFailure` with exit code 73 when the file cannot be written, and the errors of `body`.
    public func write(to path: String?, _ body: (Console) throws -> Void) throws {
        guard let path, path != "-" else { return try body(self) }
        let content = MemorySink()
        try body(
            Console(
                json: isJSON, color: .never, output: content, errors: errors, input: input, clock: clock, times: times,
                hostName: hostName))
        do throws(NetworkError) {
            let file = try OutputFile(path)
            try file.write(content.bytes)
            try file.commit()
        } catch { throw CommandFailure(.cannotWrite, error.description) }
    }

    /// Opens a file in the desktop's browser with `xdg-open`; warns when that is not possible.
    ///
    /// - Parameter environment: Default: that of this process.
    public func openInBrowser(
        _ path: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) async {
        // In a session of its own the browser outlives this process. An absolute path cannot be taken for an option.
        let script = """
            command -v xdg-open >/dev/null || exit 127
            setsid xdg-open "$(realpath -- "$1")" </dev/null >/dev/null 2>&1 &
            """
        let shell = Program(path: "/bin/sh", environment: environment)
        let output = try? await shell.run(["-c", script, "sh", path], within: .seconds(5))
        if output?.status != 0 {
            warn("'\(path)' is written, but 'xdg-open' cannot open it here; open the file in a browser.")
        }
    }
}
