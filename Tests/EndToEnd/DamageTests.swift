import Foundation
import Testing

/// Files that are broken, disks that are full, processes that meet.
@Suite(.serialized) struct DamageTests {
    @Test func `a damaged journal is kept, copied and named`() async throws {
        let (workspace, server) = try await Workspace.loggedIn()
        #expect(try await workspace.shiftlog(["journal", "add", "x", "--host", "h"], server: server).status == 0)
        let path = try #require(files(in: "\(workspace.root)/home/state").first { $0.hasSuffix(".sqlite") })
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let garbage = Data((0..<8192).map { UInt8($0 % 251) })
        try garbage.write(to: URL(filePath: path))

        let refused = try await workspace.shiftlog(["journal", "list"], server: server)
        #expect(refused.status == 73)
        #expect(refused.err.contains(path))
        #expect(FileManager.default.contents(atPath: path) == garbage)
        let copies = files(in: "\(workspace.root)/home/state").filter { $0.contains(".damaged-") }
        let copy = try #require(copies.first)
        #expect(refused.err.contains(copy))
    }

    @Test func `a damaged cache is rebuilt without a message`() async throws {
        let (workspace, server) = try await Workspace.loggedIn()
        let file = try workspace.write("text\n", to: "a.md")
        #expect(
            try await workspace.shiftlog(["runbooks", "create", "--title", "A", "--file", file], server: server).status
                == 0)
        #expect(try await workspace.shiftlog(["runbooks", "list"], server: server).status == 0)
        for path in files(in: "\(workspace.root)/home/cache") {
            try Data((0..<5000).map { UInt8($0 % 249) }).write(to: URL(filePath: path))
        }

        let listed = try await workspace.shiftlog(["runbooks", "list"], server: server)
        #expect(listed.status == 0)
        #expect(listed.out.contains("A"))
        let again = try await workspace.shiftlog(["runbooks", "list", "--offline"], server: server)
        #expect(again.status == 0, "the rebuilt cache keeps what was read: \(again.err)")
    }

    @Test(.enabled(if: getuid() == 0, "needs root to mount a small file system"))
    func `a full disk refuses the import with a sentence and keeps what was accepted`() async throws {
        let workspace = try Workspace()
        let server = try await workspace.startServer()
        let home = "\(workspace.root)/small"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try #require(mount("tmpfs", home, "tmpfs", 0, "size=1m") == 0)
        defer { umount(home) }
        try await workspace.login(home: "small", server: server)
        let lines = (0..<20_000).map { "line \($0) " + String(repeating: "x", count: 80) }
        let file = try workspace.write(lines.joined(separator: "\n"), to: "long.log")

        let refused = try await workspace.shiftlog(
            ["journal", "import", file, "--host", "h", "--offline"], home: "small", server: server)
        #expect(refused.status == 73)
        #expect(refused.err.contains("space"))
        let listed = try await workspace.shiftlog(
            ["journal", "list", "--limit", "100000", "--json", "--offline"], home: "small", server: server)
        #expect(listed.status == 0, "reading still works: \(listed.err)")
        let accepted = refused.out.split(separator: "\n").filter { $0.hasPrefix("accepted ") }.last
        let count = accepted.flatMap { Int($0.dropFirst(9).prefix { $0.isNumber }) } ?? 0
        #expect(listed.out.components(separatedBy: "\"occurred_at\"").count - 1 >= count)
    }

    @Test func `two imports at once both arrive whole`() async throws {
        let (workspace, server) = try await Workspace.loggedIn()
        let names = try (0..<2).map { number in
            try workspace.write(
                (0..<1500).map { "file \(number) line \($0)" }.joined(separator: "\n"), to: "\(number).log")
        }
        let programs = try names.map {
            try workspace.start("shiftlog", ["journal", "import", $0, "--host", "h", "--offline"], server: server)
        }
        for program in programs {
            let outcome = try await program.outcome()
            #expect(outcome.status == 0, "\(outcome.err)")
        }
        let listed = try await workspace.shiftlog(
            ["journal", "list", "--limit", "100000", "--json", "--offline"], server: server)
        #expect(listed.out.components(separatedBy: "\"occurred_at\"").count - 1 == 3000)
    }

    static let badInput: [BadInput] = [
        BadInput("nonsense", 64), BadInput("journal list --limit many", 64), BadInput("journal show none", 66),
        BadInput("journal add -- ", 65), BadInput("journal import /no/such/file", 66),
        BadInput("runbooks list", 69, 77),
        BadInput("--server ftp://x status", 64), BadInput("--profile ../x status", 64),
        BadInput("--timeout 0 sync", 64),
        BadInput("journal edit none --text x", 66), BadInput("journal rm none", 66), BadInput("outbox show none", 66),
        BadInput("conflicts resolve none --keep local", 66), BadInput("conflicts resolve none --keep both", 64),
        BadInput("journal list --since whenever", 64), BadInput("journal import /etc", 65), BadInput("sync", 69, 77),
        BadInput("journal list", 0), BadInput("--help", 0), BadInput("--version", 0), BadInput("status", 0),
    ]

    struct BadInput: CustomTestStringConvertible, Sendable {
        let words: [String]
        let statuses: Set<Int32>

        init(_ line: String, _ statuses: Int32...) {
            words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            self.statuses = Set(statuses)
        }

        var testDescription: String { words.joined(separator: " ") }
    }

    @Test(arguments: badInput)
    func `bad input in a fresh home gets its exit code and no crash`(input: BadInput) async throws {
        let workspace = try Workspace()
        // Nobody listens there.
        let program = try workspace.start("shiftlog", ["--server", "http://127.0.0.1:9"] + input.words)
        let outcome = try await program.outcome()
        #expect(!outcome.wasSignalled)
        #expect(input.statuses.contains(outcome.status), "\(input.testDescription): \(outcome.status) \(outcome.err)")
        #expect(!outcome.err.contains("Fatal error"))
    }

    private func files(in folder: String) -> [String] {
        guard let walk = FileManager.default.enumerator(atPath: folder) else { return [] }
        return walk.compactMap { $0 as? String }.map { "\(folder)/\($0)" }.filter {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder) && !isFolder.boolValue
        }
    }
}
