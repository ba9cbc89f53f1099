import Foundation
import StrataSystem
import StrataTesting
import Testing

/// Real processes: their results, and that none keeps running.
@Suite("Program") struct ProgramTests {
    private func shell(
        _ script: String, input: Data = Data(), within limit: Duration = .seconds(60)
    ) async throws(Program.Failure) -> Program.Output {
        try await Program(path: "/bin/sh", environment: ["PATH": "/usr/bin:/bin"])
            .run(["-c", script], input: input, within: limit)
    }

    @Test func `output, standard error and status are returned`() async throws {
        let output = try await shell("cat; echo why >&2; exit 7", input: Data("given".utf8))
        #expect(output.status == 7)
        #expect(output.standardOutput == Data("given".utf8))
        #expect(output.standardError == Data("why\n".utf8))
    }

    @Test func `arguments are passed unchanged, and the environment is only the given one`() async throws {
        setenv("STRATA_PROGRAM_CANARY", "CANARY", 1)
        defer { unsetenv("STRATA_PROGRAM_CANARY") }
        let output = try await Program(path: "/usr/bin/env", environment: ["A": "b c", "E": ""]).run(
            [], within: .seconds(60))
        #expect(Set(String(decoding: output.standardOutput, as: UTF8.self).split(separator: "\n")) == ["A=b c", "E="])
        let echo = try await Program(path: "/bin/echo", environment: [:]).run(
            ["a b", "$(x)", "ü"], within: .seconds(60))
        #expect(echo.standardOutput == Data("a b $(x) ü\n".utf8))
    }

    @Test(arguments: ["/nonexistent/program", "/etc/passwd", "/tmp"])
    func `a program that cannot be started is an error`(path: String) async {
        let failure = await #expect(throws: Program.Failure.self) {
            try await Program(path: path, environment: [:]).run([], within: .seconds(60))
        }
        guard case .notStarted? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test func `a program that does not end is killed with its children, and reaped`() async throws {
        let directory = try TemporaryDirectory()
        let pids = directory.file("pids")
        let failure = await #expect(throws: Program.Failure.self) {
            try await shell(
                "sleep 600 & echo $$ $! > '\(pids)'; trap '' TERM INT; wait", within: .milliseconds(500))
        }
        #expect(failure == .timedOut)
        let numbers = try String(contentsOfFile: pids, encoding: .utf8).split { $0 == " " || $0 == "\n" }
        #expect(numbers.count == 2)
        for number in numbers.compactMap({ pid_t($0) }) { #expect(await hasEnded(number)) }
    }

    @Test func `a cancelled program is killed`() async throws {
        let directory = try TemporaryDirectory()
        let pid = directory.file("pid")
        let running = Task { try await shell("echo $$ > '\(pid)'; exec sleep 600") }
        var number: pid_t?
        try await eventually("the program has written its number") {
            number = (try? String(contentsOfFile: pid, encoding: .utf8)).flatMap { pid_t($0.dropLast()) }
            return number != nil
        }

        running.cancel()

        await #expect(throws: Program.Failure.cancelled) { try await running.value }
        #expect(await hasEnded(try #require(number)))
    }

    @Test func `a child that keeps the output open does not delay the result`() async throws {
        let output = try await shell("sleep 60 & echo done", within: .seconds(30))
        #expect(output.standardOutput == Data("done\n".utf8) && output.status == 0)
    }

    @Test func `a program that closes its output and continues is killed at the limit`() async {
        let failure = await #expect(throws: Program.Failure.self) {
            try await shell("exec >&- 2>&-; exec sleep 600", within: .milliseconds(300))
        }
        #expect(failure == .timedOut)
    }

    @Test(arguments: ["", ">&2"])
    func `output beyond the limit ends the program with an error`(stream: String) async {
        let failure = await #expect(throws: Program.Failure.self) {
            try await shell("while :; do echo 0123456789 \(stream); done")
        }
        #expect(failure == .outputLimitExceeded)
    }

    @Test func `a program that does not read its input ends normally`() async throws {
        let output = try await shell("exec <&-; exit 5", input: Data(repeating: 0x61, count: 60_000))
        #expect(output.status == 5)
    }

    @Test func `input beyond the kernel's buffer is refused before the start`() async {
        let failure = await #expect(throws: Program.Failure.self) {
            try await shell("cat", input: Data(count: 64 << 20))
        }
        #expect(failure == .notStarted("\(Errno.resourceTemporarilyUnavailable)"))
    }

    @Test func `a signal is a status above 128`() async throws {
        #expect(try await shell("kill -KILL $$").status == 137)
    }

    @Test func `a signal that this process ignores still ends the program`() async throws {
        let old = signal(SIGUSR1, SIG_IGN)
        defer { signal(SIGUSR1, old) }
        #expect(try await shell("kill -USR1 $$; exit 1").status == 128 + SIGUSR1)
    }

    @Test func `concurrent programs have separate inputs and outputs`() async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    let output = try await Program(path: "/bin/cat", environment: [:])
                        .run([], input: Data("\(number)".utf8), within: .seconds(60))
                    #expect(output.standardOutput == Data("\(number)".utf8) && output.status == 0)
                }
            }
            try await group.waitForAll()
        }
    }

    /// Whether the process has ended, or is a zombie of another parent.
    private func hasEnded(_ process: pid_t) async -> Bool {
        for _ in 0..<200_000 {
            guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
                return true
            }
            let parts = status.split(separator: " ")
            if parts.count > 3, parts[2] == "Z", parts[3] != "\(getpid())" { return true }
            await Task.yield()
        }
        return false
    }
}
