import StrataTerminal
import StrataTesting
import Testing

struct WrappingTests {
    private func error(_ text: String, width: Int?) -> [String] {
        let errors = MemorySink(width: width)
        Console(json: false, color: .never, output: MemorySink(), errors: errors, input: MemoryInput()).warn(text)
        return errors.lines
    }

    @Test func `a message ends its lines between words`() {
        #expect(
            error("The server cannot be reached, so nothing was sent.", width: 30) == [
                "warning: The server cannot be", "reached, so nothing was sent.",
            ])
    }

    @Test func `a quoted command is not divided`() {
        #expect(
            error("Run it again: 'shiftlog sync --watch' (or 'shiftlog status').", width: 32) == [
                "warning: Run it again:", "'shiftlog sync --watch' (or", "'shiftlog status').",
            ])
    }

    @Test func `a word that is wider than the terminal stays whole`() {
        let path = "/home/ada/" + String(repeating: "x", count: 40)
        #expect(error("See \(path) now.", width: 20) == ["warning: See", path, "now."])
    }

    @Test func `a file gets whole lines`() {
        let text = String(repeating: "word ", count: 40) + "end."
        #expect(error(text, width: nil) == ["warning: \(text)"])
    }
}
