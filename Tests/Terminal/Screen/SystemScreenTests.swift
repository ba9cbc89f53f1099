import StrataTesting
import Testing

@testable import StrataTerminal

@Suite(.serialized) struct SystemScreenTests {
    @Test func `keys are for the screen while it is shown, and for the shell from the moment it is left`() async throws
    {
        let terminal = try PseudoTerminal()
        let screen = SystemScreen(input: terminal.program, output: terminal.program, sink: MemorySink())
        try screen.enter()
        var events = screen.events().makeAsyncIterator()
        // A reader that still waits for a byte takes it in nearly every round.
        for _ in 0..<10 {
            #expect(!terminal.echoes)
            terminal.type("q")
            #expect(await events.next() == .input(Array("q".utf8)))
            screen.leave()
            #expect(terminal.echoes)
            terminal.type("ls\n")
            #expect(terminal.received() == "ls\n")
            try screen.enter()
        }
        screen.leave()
    }

    @Test func `a screen that is left before its first key ends no events`() async throws {
        let terminal = try PseudoTerminal()
        let screen = SystemScreen(input: terminal.program, output: terminal.program, sink: MemorySink())
        try screen.enter()
        screen.leave()
        var events = screen.events().makeAsyncIterator()
        terminal.type("ls\n")
        #expect(terminal.received() == "ls\n")
        try screen.enter()
        terminal.type("j")
        #expect(await events.next() == .input(Array("j".utf8)))
        screen.leave()
    }
}
