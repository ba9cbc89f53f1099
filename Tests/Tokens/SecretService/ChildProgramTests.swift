import Foundation
import StrataTesting
import Testing

@testable import StrataTokens

/// Real processes: what they answer, and that none is left over.
struct ChildProgramTests {
    private func shell(_ script: String, input: Data = Data(), within limit: Duration = .seconds(20)) throws
        -> ChildProgram.Answer
    {
        try ChildProgram(path: "/bin/sh", environment: ["PATH": "/usr/bin:/bin", "GIVEN": "value"])
            .run(["-c", script], input: input, within: limit)
    }

    @Test func `output, complaint and status come back`() throws {
        let answer = try shell("cat; echo why >&2; exit 7", input: Data("given".utf8))
        #expect(answer.status == 7)
        #expect(answer.output == Data("given".utf8))
        #expect(answer.complaint == Data("why\n".utf8))
    }

    @Test func `arguments arrive as they are, and the environment is only what was given`() throws {
        setenv("STRATA_CHILD_CANARY", "CANARY", 1)
        defer { unsetenv("STRATA_CHILD_CANARY") }
        let answer = try ChildProgram(path: "/usr/bin/env", environment: ["A": "b c", "E": ""]).run(
            [], within: .seconds(20))
        #expect(Set(String(decoding: answer.output, as: UTF8.self).split(separator: "\n")) == ["A=b c", "E="])
        let echo = try ChildProgram(path: "/bin/echo", environment: [:]).run(
            ["a b", "$(x)", "ü"], within: .seconds(20))
        #expect(echo.output == Data("a b $(x) ü\n".utf8))
    }

    @Test(arguments: ["/nonexistent/program", "/etc/passwd", "/tmp"])
    func `a program that cannot be started is an error`(path: String) {
        let failure = #expect(throws: ChildProgram.Failure.self) {
            try ChildProgram(path: path, environment: [:]).run([], within: .seconds(20))
        }
        guard case .notStarted? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test func `a program that does not end is killed with what it started, and collected`() throws {
        let directory = try TemporaryDirectory()
        let pids = directory.path + "/pids"
        let failure = #expect(throws: ChildProgram.Failure.self) {
            try shell("sleep 600 & echo $$ $! > '\(pids)'; trap '' TERM INT; wait", within: .milliseconds(300))
        }
        #expect(failure == .tookTooLong)
        let numbers = try String(contentsOfFile: pids, encoding: .utf8).split { $0 == " " || $0 == "\n" }
        #expect(numbers.count == 2)
        for number in numbers.compactMap({ pid_t($0) }) { #expect(hasEnded(number)) }
    }

    @Test func `a program that leaves a child with its streams open does not hold us`() throws {
        let answer = try shell("sleep 5 & echo done", within: .seconds(4))
        #expect(answer.output == Data("done\n".utf8) && answer.status == 0)
    }

    @Test func `a program that closes its streams and goes on is killed at the limit`() {
        let failure = #expect(throws: ChildProgram.Failure.self) {
            try shell("exec >&- 2>&-; exec sleep 600", within: .milliseconds(300))
        }
        #expect(failure == .tookTooLong)
    }

    @Test func `more output than anybody needs is cut off with the program`() {
        let failure = #expect(throws: ChildProgram.Failure.self) { try shell("while :; do echo 0123456789; done") }
        #expect(failure == .tooTalkative)
    }

    @Test func `much complaint is kept in part`() throws {
        let answer = try shell("head -c 100000 /dev/zero >&2; echo end")
        #expect(answer.complaint.count == 4096 && answer.output == Data("end\n".utf8))
    }

    @Test func `a program that does not read its input disturbs nobody`() throws {
        let answer = try shell("exec <&-; exit 5", input: Data(repeating: 0x61, count: 60_000))
        #expect(answer.status == 5)
    }

    @Test func `a signal is a status above 128`() throws {
        #expect(try shell("kill -KILL $$").status == 137)
    }

    @Test func `signals ignored here are not ignored there`() throws {
        let old = signal(SIGTERM, SIG_IGN)
        defer { signal(SIGTERM, old) }
        #expect(try shell("kill -TERM $$; exit 1").status == 143)
    }

    @Test func `many at once mix nothing up`() async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    let queue = BlockingQueue(label: "test")
                    let answer = try await queue.run {
                        try ChildProgram(path: "/bin/cat", environment: [:])
                            .run([], input: Data("\(number)".utf8), within: .seconds(20))
                    }
                    #expect(answer.output == Data("\(number)".utf8) && answer.status == 0)
                }
            }
            try await group.waitForAll()
        }
    }

    /// Gone, or dead and waiting for a parent that is not us.
    private func hasEnded(_ process: pid_t) -> Bool {
        for _ in 0..<200_000 {
            guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
                return true
            }
            let parts = status.split(separator: " ")
            if parts.count > 3, parts[2] == "Z", parts[3] != "\(getpid())" { return true }
            sched_yield()
        }
        return false
    }
}
