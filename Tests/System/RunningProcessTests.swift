import Foundation
import StrataSystem
import Testing

@Suite("Running processes") struct RunningProcessTests {
    @Test func `this process is active, and a later one of its id would be another`() {
        let own = RunningProcess.current
        #expect(own.id == getpid() && own.start > 0 && own.isActive)
        #expect(!RunningProcess(id: own.id, start: own.start + 1).isActive)
        #expect(RunningProcess(id: own.id, start: 0).isActive, "an unknown start fits each process")
        #expect(!RunningProcess(id: 0, start: 0).isActive)
        #expect(!RunningProcess(id: -1, start: 0).isActive)
    }

    @Test func `a process that is stopped is not active until it continues, and not after its end`() async throws {
        // Ends with its standard input.
        let input = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/cat")
        process.standardInput = input
        try process.run()
        let other = RunningProcess(id: process.processIdentifier, start: 0)
        #expect(other.isActive)
        #expect(kill(other.id, SIGSTOP) == 0)
        #expect(await becomes(false, other))
        #expect(isRunning(process: other.id))
        #expect(kill(other.id, SIGCONT) == 0)
        #expect(await becomes(true, other))
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(!other.isActive)
    }

    /// A signal takes effect soon after it was sent.
    private func becomes(_ isActive: Bool, _ process: RunningProcess) async -> Bool {
        for _ in 0..<10_000 {
            if process.isActive == isActive { return true }
            pauseThread(milliseconds: 1)
        }
        return false
    }
}
