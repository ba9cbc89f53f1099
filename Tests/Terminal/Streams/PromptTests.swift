import FoundationEssentials
import Glibc
import StrataDomain
import StrataTerminal
import Testing

@Suite(.timeLimit(.minutes(5))) struct PromptTests {
    /// Starts the prompt, and returns when the terminal shows it. After that the terminal must not echo input.
    private func asking(
        _ terminal: PseudoTerminal, isHidden: Bool = true
    ) async throws -> Task<Secret, any Error> {
        let (prompts, prompted) = AsyncStream.makeStream(of: Void.self)
        let input = StandardInput(descriptor: terminal.program, errors: Announcing { prompted.yield() })
        let task = Task { try await input.line(prompt: "Password: ", isHidden: isHidden) }
        for await _ in prompts { break }
        return task
    }

    /// Reports that the prompt was written.
    private struct Announcing: TextSink {
        let isTerminal = true
        let width: Int? = 80
        let announce: @Sendable () -> Void
        init(_ announce: @escaping @Sendable () -> Void) { self.announce = announce }
        func write(_ text: String) { if text.hasPrefix("Password") { announce() } }
    }

    @Test func `a password is not shown, and the echo is back afterwards`() async throws {
        let terminal = try PseudoTerminal()
        let answer = try await asking(terminal)
        #expect(!terminal.echoes && !terminal.signals)
        terminal.type("hunter2 é\n")
        #expect(try await answer.value.reveal() == "hunter2 é")
        #expect(terminal.echoes && terminal.signals)
        #expect(!terminal.drawn().contains("hunter2"))
    }

    @Test func `control-C restores the echo and cancels`() async throws {
        let terminal = try PseudoTerminal()
        let answer = try await asking(terminal)
        terminal.type("half\u{03}")
        await #expect(throws: DomainError.cancelled) { try await answer.value }
        #expect(terminal.echoes && terminal.signals)
    }

    @Test func `a signal that cancels the command restores the echo too, and what is typed then is for the shell`()
        async throws
    {
        let terminal = try PseudoTerminal()
        let answer = try await asking(terminal)
        answer.cancel()
        await #expect(throws: DomainError.cancelled) { try await answer.value }
        #expect(terminal.echoes && terminal.signals)
        terminal.type("ls\n")
        #expect(terminal.received() == "ls\n")
    }

    @Test func `the end of input at the prompt is an error, not an empty password`() async throws {
        let terminal = try PseudoTerminal()
        let answer = try await asking(terminal)
        terminal.type("\u{04}")
        let error = await #expect(throws: DomainError.self) { try await answer.value }
        #expect(error.map(ExitStatus.init) == .rejected)
        #expect(terminal.echoes)
    }

    @Test func `a visible answer is echoed`() async throws {
        let terminal = try PseudoTerminal()
        let answer = try await asking(terminal, isHidden: false)
        #expect(terminal.echoes)
        terminal.type("ada\n")
        #expect(try await answer.value.reveal() == "ada")
        #expect(terminal.drawn().contains("ada"))
    }
}
