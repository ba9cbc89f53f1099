import Glibc
import StrataConcurrency
public import StrataDomain

/// The one way a command speaks to whoever called it: results to standard output, everything else to standard error.
///
/// Every text is made harmless (see `SafeText`) before it is printed, except a `document`.
public struct Console: Sendable {
    /// Whether results are JSON documents.
    public let isJSON: Bool
    /// What may be read: the console's own input.
    public let input: any ConsoleInput
    public let clock: any WallClock
    /// How times are shown to people.
    public let times: TimeText
    /// The name of this machine.
    public let hostName: String

    let output: any TextSink
    let errors: any TextSink
    private let afterword = Afterword()
    let outputColored: Bool
    let errorsColored: Bool

    /// - Parameter environment: Asked for `NO_COLOR` and `TERM` only.
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

    /// Whether a person sees the results as they come.
    public var isInteractive: Bool { output.isTerminal }

    /// A line of the result.
    public func out(_ line: Text) { output.write(line.rendered(colored: outputColored) + "\n") }
    public func out(_ line: String) { out(Text(line)) }

    /// A line on standard output about work under way. When nobody takes it any more the work goes on; the result will
    /// tell.
    public func outUnderWay(_ line: String) { output.offer(Text(line).rendered(colored: outputColored) + "\n") }

    /// A line about the result: where it came from, what happens next.
    public func note(_ line: String) { errors.write(Text(line, .dim).rendered(colored: errorsColored) + "\n") }

    /// A line that `sayAfterword` brings, when the result of the command is printed; it is lost when the command fails.
    public func noteAfterwards(_ line: String) { afterword.lines.withLock { $0.append(line) } }

    /// Prints what `noteAfterwards` was given, for people only.
    public func sayAfterword() {
        let lines = afterword.lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
        if !isJSON { for line in lines { note(line) } }
    }

    private final class Afterword: Sendable {
        let lines = Mutex<[String]>([])
    }

    /// A line about something that went wrong without stopping the command.
    public func warn(_ line: String) {
        errors.write(
            (Text("warning: ", .yellow) + Text(SafeText.message(line))).rendered(colored: errorsColored) + "\n")
    }

    /// A whole text that is in a format of its own and already safe in it.
    public func document(_ text: String) { output.write(text.hasSuffix("\n") ? text : text + "\n") }

    /// A table; without rows only `empty`, on standard error.
    public func table(_ table: Table, empty: String) {
        if table.isEmpty { return note(empty) }
        let lines = table.lines(width: output.width, colored: outputColored, times: times, now: clock.now)
        output.write(lines.joined(separator: "\n") + "\n")
    }

    /// One JSON document on a line, with the wire's keys and times.
    public func json(_ value: some Encodable) throws {
        let text = String(decoding: try WireJSON.encode(value), as: UTF8.self)
        output.write(SafeText.escapedJSON(text) + "\n")
    }

    /// One JSON array on a line, element by element: it need not fit into memory.
    public func jsonArray<Element: Encodable>(of type: Element.Type) -> JSONArrayOutput<Element> {
        JSONArrayOutput(output)
    }

    /// A line of the result of a change that is already made: where it cannot be written, a warning tells it and the command
    /// succeeds, so that no program repeats the change.
    func outOfChange(_ line: Text) { offer(line.rendered(colored: outputColored)) }

    /// Like `json`, for a change that is already made; see `outOfChange`.
    public func jsonOfChange(_ value: some Encodable) throws {
        offer(SafeText.escapedJSON(String(decoding: try WireJSON.encode(value), as: UTF8.self)))
    }

    private func offer(_ line: String) {
        guard let reason = output.offer(line + "\n") else { return }
        warn("Standard output cannot be written (\(reason)). The change is made all the same: \(line)")
    }

    /// Makes a reader that went away an error of `write` instead of the death of the process. Call it first in `main`.
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
