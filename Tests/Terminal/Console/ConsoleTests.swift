import FoundationEssentials
import StrataDomain
import StrataTerminal
import Testing

struct ConsoleTests {
    private struct Row: Encodable {
        var runbookId: String
        var updatedAt: Date
        var none: String?
    }

    @Test func `results go to standard output, the rest to standard error`() {
        let (console, output, errors) = Console.inMemory()
        console.out("result")
        console.note("about it")
        console.warn("careful")
        #expect(output.text == "result\n")
        #expect(errors.text == "about it\nwarning: careful\n")
    }

    @Test func `JSON has the wire's names and times, on one line`() throws {
        let (console, output, _) = Console.inMemory(json: true)
        try console.json([Row(runbookId: "r1", updatedAt: Date(timeIntervalSince1970: 0.25))])
        #expect(output.text == #"[{"runbook_id":"r1","updated_at":"1970-01-01T00:00:00.250Z"}]"# + "\n")
    }

    @Test func `escape sequences in a text do not reach the terminal`() throws {
        let (console, output, errors) = Console.inMemory(json: false, width: 80)
        console.out("\u{1B}[2Jx")
        console.note("\u{9B}31m")
        console.warn("a\rb")
        console.fields([("name", "\u{1B}c")])
        try console.confirm("id\n\u{1B}", "done")
        try console.json(["\u{9B}"])
        let harmless = (output.text + errors.text).replacing("\u{1B}[1m", with: "").replacing("\u{1B}[0m", with: "")
            .replacing("\u{1B}[2m", with: "").replacing("\u{1B}[33m", with: "")
        #expect(!harmless.contains("\u{1B}"))
        #expect(!harmless.contains("\u{9B}"))
        #expect(!harmless.contains("\r"))
    }

    @Test func `colour is used on a terminal only`() {
        let output = MemorySink(width: 80)
        let errors = MemorySink()
        let console = Console(json: false, environment: [:], output: output, errors: errors, input: MemoryInput())
        console.out(Text("x", .red))
        console.warn("y")
        #expect(output.text == "\u{1B}[31mx\u{1B}[0m\n")
        #expect(errors.text == "warning: y\n")
    }

    @Test func `fields are aligned`() {
        let (console, output, _) = Console.inMemory()
        console.fields([("id", "1"), ("severity", "info")])
        #expect(output.text == "id        1\nseverity  info\n")
    }

    @Test func `a document is printed as it is, with one line break at its end`() {
        let (console, output, _) = Console.inMemory()
        console.document("<p>")
        console.document("<p>\n")
        #expect(output.text == "<p>\n<p>\n")
    }

    @Test func `the console knows the name of this machine`() { #expect(!Console.machineName.isEmpty) }
}

extension Console {
    /// A console that prints into memory.
    ///
    /// - Parameter width: The width of the simulated terminal in cells; `nil` for files.
    static func inMemory(
        json: Bool = false, width: Int? = nil, input: MemoryInput = MemoryInput(),
        clock: any WallClock = SystemWallClock(), times: TimeText = .utc
    ) -> (console: Console, output: MemorySink, errors: MemorySink) {
        let (output, errors) = (MemorySink(width: width), MemorySink(width: width))
        let console = Console(
            json: json, environment: [:], output: output, errors: errors, input: input, clock: clock,
            times: times, hostName: "here")
        return (console, output, errors)
    }
}
