import StrataDomain
import StrataTerminal
import Testing

/// A file on a full disk.
private struct FullSink: TextSink {
    let isTerminal = false
    let width: Int? = nil
    func write(_ text: String) { Issue.record("A change that is made must not end the process: \(text)") }
    func offer(_ text: String) -> String? { "No space left on device" }
}

struct ChangeOutputTests {
    @Test(arguments: [false, true])
    func `a confirmation that standard output refuses goes to standard error`(isJSON: Bool) throws {
        let errors = MemorySink()
        let console = Console(json: isJSON, output: FullSink(), errors: errors)
        try console.confirm("e1", "queued")
        #expect(errors.text.contains("No space left on device") && errors.text.contains("e1"))
        #expect(errors.text.contains("but the change is made"))
    }

    @Test(arguments: [0, 1, 199, 200, 201, 1000])
    func `an array of any length is one document`(count: Int) throws {
        let (console, output, _) = Console.inMemory(json: true)
        var array = console.jsonArray(of: Int.self)
        for number in 0..<count { array.add(number) }
        #expect(output.text.isEmpty == (count < 200))
        try array.finish()
        #expect(output.text == "[" + (0..<count).map(String.init).joined(separator: ",") + "]\n")
    }

    @Test func `an element that cannot be written ends the array with its error`() throws {
        let (console, output, _) = Console.inMemory(json: true)
        var array = console.jsonArray(of: Double.self)
        array.add(.nan)
        #expect(throws: EncodingError.self) { try array.finish() }
        #expect(output.text.isEmpty)
    }

    @Test func `a later note is printed once, and not with --json`() {
        let (people, _, errors) = Console.inMemory()
        people.noteLater("It waits.")
        #expect(errors.text.isEmpty)
        people.printLaterNotes()
        people.printLaterNotes()
        #expect(errors.text == "It waits.\n")
        let (programs, _, silence) = Console.inMemory(json: true)
        programs.noteLater("It waits.")
        programs.printLaterNotes()
        #expect(silence.text.isEmpty)
    }
}
