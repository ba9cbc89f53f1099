import StrataTerminal
import Testing

struct ProgressBarTests {
    @Test func `no progress is drawn without a terminal`() {
        let (console, output, errors) = Console.inMemory()
        let bar = console.progress("import", total: 10)
        bar.update(done: 5, detail: "5 accepted")
        bar.finish()
        #expect(output.text.isEmpty && errors.text.isEmpty)
    }

    @Test func `the line is redrawn in place and removed at the end`() {
        let (console, output, errors) = Console.inMemory(width: 80)
        let bar = console.progress("import", total: 200)
        bar.update(done: 50, detail: "50 accepted")
        bar.finish()
        bar.finish()
        #expect(output.text.isEmpty)
        #expect(errors.text == "\r\u{1B}[Kimport █████░░░░░░░░░░░░░░░ 25 %  50 accepted\r\u{1B}[K")
    }

    @Test(arguments: [(300, "100 %"), (-5, "0 %"), (Int.max, "100 %")])
    func `the bar stays between 0 and 100 percent`(done: Int, text: String) {
        let (console, _, errors) = Console.inMemory(width: 80)
        console.progress("x", total: 200).update(done: done, detail: "")
        #expect(errors.text.contains(" \(text)"))
    }

    @Test func `without a total there is no bar, and no line is wider than the terminal`() {
        let (console, _, errors) = Console.inMemory(width: 20)
        console.progress("import", total: nil).update(done: 1, detail: "a very long detail\nwith a break")
        #expect(errors.text == "\r\u{1B}[Kimport  a very lon…")
    }
}
