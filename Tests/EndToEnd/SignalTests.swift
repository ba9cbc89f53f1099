import Foundation
import Testing

/// Signals to `shiftlog` that come before it has done anything.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SignalTests {
    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal in the first moments ends with the status of an interrupted command`(number: Int32) async throws {
        let (socket, port) = try Sockets.listening()
        defer { close(socket) }
        let workspace = try Workspace()
        for round in 0..<40 {
            // It waits for an answer for ever: nobody takes the connection.
            let program = try hearing {
                try workspace.start("shiftlog", ["request", "GET", "http://127.0.0.1:\(port)/"])
            }
            try waitForMain(program)
            spin(for: .microseconds(500 * round))
            program.signal(number)
            let result = try await program.outcome()
            #expect(!result.wasSignalled, "round \(round)")
            #expect(result.status == 130, "round \(round): \(result.err)")
        }
    }

    @Test func `the first SIGQUIT ends it, also with the backtracer of the toolchain`() async throws {
        let (socket, port) = try Sockets.listening()
        defer { close(socket) }
        let workspace = try Workspace()
        let program = try hearing {
            try workspace.start(
                "shiftlog", ["request", "GET", "http://127.0.0.1:\(port)/"],
                variables: ["SWIFT_BACKTRACE": "enable=yes"])
        }
        try waitForMain(program)
        program.signal(SIGQUIT)
        let result = try await program.outcome()
        #expect(result.wasSignalled && result.status == SIGQUIT, "\(result)")
    }

    /// What is started from a thread that blocks signals, as those of Dispatch do, blocks them too.
    private func hearing<Result>(_ body: () throws -> Result) rethrows -> Result {
        var numbers = sigset_t()
        var before = sigset_t()
        sigemptyset(&numbers)
        sigaddset(&numbers, SIGINT)
        sigaddset(&numbers, SIGTERM)
        sigaddset(&numbers, SIGQUIT)
        pthread_sigmask(SIG_UNBLOCK, &numbers, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return try body()
    }

    /// Returns once `main` runs, as its second act shows: it ignores SIGPIPE. Before, a signal can only kill.
    private func waitForMain(_ program: Program) throws {
        let pipeIsIgnored = UInt64(1) << UInt64(SIGPIPE - 1)
        while program.isRunning {
            let lines = try String(contentsOfFile: "/proc/\(program.id)/status", encoding: .utf8).split(separator: "\n")
            let mask = lines.first { $0.hasPrefix("SigIgn:") }?.split(separator: "\t").last
            if let mask, UInt64(mask, radix: 16).map({ $0 & pipeIsIgnored != 0 }) ?? false { return }
        }
        throw EndToEndError("it has ended: \(program.errorsSoFar)")
    }

    /// Real time, without giving up the processor: a sleep would skip the moments that are looked at.
    private func spin(for duration: Duration) {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end {}
    }
}
