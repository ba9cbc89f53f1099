import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataTerminal

/// Text on a terminal of 24 lines.
struct PagerTests {
    private let terminal: PseudoTerminal
    private let folder: TemporaryDirectory
    private let notes = MemorySink()

    init() throws {
        Console.ignoreBrokenPipe()
        terminal = try PseudoTerminal()
        folder = try TemporaryDirectory()
    }

    private func console(json: Bool = false) -> Console {
        Console(
            json: json, output: DescriptorSink(descriptor: terminal.program) { _ in }, errors: notes,
            input: MemoryInput(), clock: ManualWallClock(.noon), times: .utc, hostName: "here")
    }

    private func environment(_ pager: String) -> [String: String] { ["PAGER": pager, "TERM": "xterm"] }

    /// A pager that keeps what it is given.
    private var keeping: [String: String] { environment("cat >'\(folder.file("paged"))'") }

    private var paged: String? { folder.content("paged").map { String(decoding: $0, as: UTF8.self) } }

    /// Whether the terminal has shown `text` and nothing else. The kernel hands on what a program writes in its own time.
    private func hasShown(_ text: String) async throws -> Bool {
        DescriptorSink(descriptor: terminal.program) { _ in }.write("end\n")
        var shown = ""
        try await eventually("the terminal shows the end") {
            shown += terminal.drawn()
            return shown.hasSuffix("end\r\n")
        }
        return shown == text.replacing("\n", with: "\r\n") + "end\r\n"
    }

    private static func print(_ lines: Int, _ console: Console) {
        for line in 1...lines { console.out("line \(line)") }
        console.note("and a note")
    }

    private static func text(_ lines: Int) -> String { (1...lines).map { "line \($0)\n" }.joined() }

    @Test func `text that is longer than the terminal goes to the pager, and notes follow it`() async throws {
        try await console().paged(environment: keeping) { Self.print(24, $0) }
        #expect(try await hasShown(""))
        #expect(paged == Self.text(24))
        #expect(notes.text == "and a note\n")
    }

    @Test func `text that leaves a line for the prompt goes to the terminal`() async throws {
        try await console().paged(environment: keeping) { Self.print(23, $0) }
        #expect(try await hasShown(Self.text(23)))
        #expect(paged == nil)
        #expect(notes.text == "and a note\n")
    }

    @Test func `a pager that is not there leaves the text to the terminal`() async throws {
        let missing = environment("'\(folder.file("none"))' 2>&-")
        try await console().paged(environment: missing) { Self.print(24, $0) }
        #expect(try await hasShown(Self.text(24)))
    }

    @Test func `JSON and the output of a pipe are not paged`() async throws {
        try await console(json: true).paged(environment: keeping) { Self.print(24, $0) }
        #expect(try await hasShown(Self.text(24)))
        let (piped, output, _) = Console.inMemory()
        try await piped.paged(environment: keeping) { Self.print(24, $0) }
        #expect(output.text == Self.text(24) && paged == nil)
    }

    @Test func `a failure comes after what was printed before it`() async throws {
        await #expect(throws: DomainError.cancelled) {
            try await console().paged(environment: keeping) { console in
                Self.print(24, console)
                throw DomainError.cancelled
            }
        }
        #expect(paged == Self.text(24) && notes.text == "and a note\n")
    }

    @Test(
        arguments: [
            ([:], nil), (["TERM": "dumb"], nil), (["TERM": "xterm"], "less -FRX"),
            (["TERM": "xterm", "PAGER": "more"], "more"), (["TERM": "xterm", "PAGER": ""], nil),
            (["TERM": "xterm", "PAGER": "cat"], nil),
        ] as [([String: String], String?)])
    func `the environment names the pager`(environment: [String: String], command: String?) {
        #expect(Pager(environment: environment)?.command == command)
    }
}
