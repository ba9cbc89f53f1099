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
