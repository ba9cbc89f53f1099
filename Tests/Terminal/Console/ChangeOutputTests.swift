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
    func `a change that cannot be told on standard output is told on standard error`(isJSON: Bool) throws {
        let errors = MemorySink()
        let console = Console(json: isJSON, output: FullSink(), errors: errors)
        try console.confirm("e1", "queued")
        #expect(errors.text.contains("No space left on device") && errors.text.contains("e1"))
        #expect(errors.text.contains("The change is made all the same"))
    }

    @Test func `an array is written page by page`() async throws {
        let (console, output, _) = Console.inMemory(json: true)
        try await console.jsonArray(of: { (number: Int) in "\(number)" }) { last in
            let next = (last ?? 0) + 1
            return next > 5 ? [] : Array(next...min(next + 1, 5))
        }
        #expect(output.text == #"["1","2","3","4","5"]"# + "\n")
    }

    @Test func `a failure before the first page writes nothing`() async throws {
        let (console, output, _) = Console.inMemory(json: true)
        await #expect(throws: DomainError.cancelled) {
            try await console.jsonArray(of: { (number: Int) in "\(number)" }) { (_: Int?) -> [Int] in
                throw DomainError.cancelled
            }
        }
        #expect(output.text.isEmpty)
    }

    @Test func `what is noted for afterwards is said once, to people`() {
        let (people, _, errors) = Console.inMemory()
        people.noteAfterwards("It waits.")
        #expect(errors.text.isEmpty)
        people.sayAfterword()
        people.sayAfterword()
        #expect(errors.text == "It waits.\n")
        let (programs, _, silence) = Console.inMemory(json: true)
        programs.noteAfterwards("It waits.")
        programs.sayAfterword()
        #expect(silence.text.isEmpty)
    }
}
