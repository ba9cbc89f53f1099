import Foundation
import StrataTesting
import Testing

struct `A started program` {
    private let folder = NSTemporaryDirectory() + "strata-programs-" + UUID().uuidString

    private func run(_ script: String, input: String? = nil) async throws -> Outcome {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return try await Program(
            "/bin/sh", ["-c", script], environment: ["GREETING": "hello"], folder: folder, input: input
        ).outcome()
    }

    @Test func `a program's outcome has its status and its output`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let ended = try await run("read line; echo $GREETING $line; echo problem >&2; exit 7", input: "you\n")
        #expect(ended.status == 7 && !ended.wasSignalled)
        #expect(ended.out == "hello you\n" && ended.err == "problem\n")
        let killed = try await run("kill -TERM $$")
        #expect(killed.status == SIGTERM && killed.wasSignalled)
    }

    @Test func `a program that does not exist is an error`() async throws {
        #expect(throws: EndToEndError.self) {
            try Program("/nowhere/at/all", [], environment: [:], folder: NSTemporaryDirectory(), input: nil)
        }
    }

    @Test func `a program gets no descriptor of this process but the usual three`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let open = open("/dev/null", O_RDONLY)
        defer { close(open) }
        let seen = try await run("for n in /proc/$$/fd/*; do echo ${n##*/}; done").out.split(separator: "\n")
        #expect(!seen.contains("\(open)"))
        #expect(Set(seen).isSuperset(of: ["0", "1", "2"]))
    }

    @Test func `an ended program leaves no descriptor open here`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        _ = try await run("true")
        let before = try count()
        var programs: [Program] = []
        for _ in 0..<200 {
            // Those that have ended count, too, as long as somebody holds them.
            let program = try Program("/bin/true", [], environment: [:], folder: folder, input: "line")
            programs.append(program)
            _ = try await program.outcome()
        }
        // Other tests may run beside this one; one descriptor for each program would be more.
        #expect(try count() < before + 100)
    }
}
