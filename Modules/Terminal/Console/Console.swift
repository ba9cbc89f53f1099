import StrataConcurrency
public import StrataDomain
import StrataSystem

/// The output of a command: results go to standard output, everything else to standard error.
///
/// Every text is escaped (see `SafeText`) before it is printed, except a `document`.
public struct Console: Sendable {
    /// Whether results are printed as JSON.
    public let isJSON: Bool
    /// The input of the command.
    public let input: any ConsoleInput
    /// The clock that times are compared with.
    public let clock: any WallClock
    /// The format of times.
    public let times: TimeText
    /// The name of this machine.
    public let hostName: String

    let output: any TextSink
    let errors: any TextSink
    private let laterNotes = LaterNotes()
    let outputColored: Bool
    let errorsColored: Bool

    /// - Parameter environment: Only `NO_COLOR` and `TERM` are read.
    public init(
        json: Bool, color: ColorMode = .auto, environment: [String: String] = [:],
        output: any TextSink = DescriptorSink.standardOutput, errors: any TextSink = DescriptorSink.standardError,
        input: any ConsoleInput = StandardInput(), clock: any WallClock = SystemWallClock(),
        times: TimeText = .local, hostName: String = Console.machineName
    ) {
        isJSON = json
        self.input = input
        self.clock = clock
        self.times = times
        self.hostName = hostName
        self.output = output
        self.errors = errors
        outputColored = color.isOn(terminal: output.isTerminal, environment: environment)
        errorsColored = color.isOn(terminal: errors.isTerminal, environment: environment)
    }

    /// Whether standard output is a terminal.
    public var isInteractive: Bool { output.isTerminal }

    /// A line of the result.
    public func out(_ line: Text) { output.write(line.rendered(colored: outputColored) + "\n") }
    /// Writes a line to standard output.
    public func out(_ line: String) { out(Text(line)) }

    /// A line of progress on standard output. If the reader has gone away, the work continues; printing the result reports
    /// the error.
    public func outUnderWay(_ line: String) { output.offer(Text(line).rendered(colored: outputColored) + "\n") }

    /// A note about the result, such as where it came from or what happens next.
    public func note(_ line: String) { printError(Text(line, .dim)) }

    /// Adds a note that `printLaterNotes` prints after the result, once; it is dropped if the command fails.
    public func noteLater(_ line: String) {
        laterNotes.lines.withLock { lines in if !lines.contains(line) { lines.append(line) } }
    }

    /// Prints the notes of `noteLater`, unless the output is JSON.
    public func printLaterNotes() {
        let lines = laterNotes.lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
        if !isJSON { for line in lines { note(line) } }
    }

    private final class LaterNotes: Sendable {
        let lines = Mutex<[String]>([])
    }

    /// A warning: something failed, but the command continues.
    public func warn(_ line: String) {
        printError(Text("warning: ", .yellow) + Text(SafeText.message(line)))
    }

    func printError(_ line: Text) {
        let line = errors.width.map { line.wrapped(to: $0) } ?? line
        errors.write(line.rendered(colored: errorsColored) + "\n")
    }

    /// A complete text in its own format, printed unchanged.
    public func document(_ text: String) { output.write(text.hasSuffix("\n") ? text : text + "\n") }

    /// Prints a table; if it has no rows, prints `empty` on standard error.
    public func table(_ table: Table, empty: String) {
        if table.isEmpty { return note(empty) }
        let lines = table.lines(width: output.width, colored: outputColored, times: times, now: clock.now)
        output.write(lines.joined(separator: "\n") + "\n")
    }

    /// One JSON document on a line, with the wire's keys and times.
    public func json(_ value: some Encodable) throws {
        output.write(try safeJSON(value) + "\n")
    }

    /// The result of a change that is already made. If it cannot be written, the command prints a warning and
    /// succeeds, so that no script repeats the change.
    func outOfChange(_ line: Text) { offer(line.rendered(colored: outputColored)) }

    /// Like `json`, for a change that is already made; see `outOfChange`.
    package func jsonOfChange(_ value: some Encodable) throws {
        offer(try safeJSON(value))
    }

    private func offer(_ line: String) {
        guard let reason = output.offer(line + "\n") else { return }
        warn("Standard output cannot be written (\(reason)), but the change is made: \(line)")
    }

    /// Ignores SIGPIPE, so that a closed pipe is an error of `write`. Call it first in `main`.
    public static func ignoreBrokenPipe() { signal(SIGPIPE, SIG_IGN) }

    /// The name of this machine; `localhost` when it has none.
    public static var machineName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let name = String(decoding: bytes, as: UTF8.self)
        return name.isEmpty ? "localhost" : name
    }
}
