import Foundation
import Testing

@testable import StrataClientProgram
@testable import shiftlog

/// The command line as it meets its user: help, mistakes, ids and times, with real processes.
@Suite struct `The command line` {
    private struct Help: Decodable {
        struct Command: Decodable {
            var commandName: String
            var discussion: String?
            var subcommands: [Command]?

            /// The commands that do something, each with its path.
            func leaves(_ path: String = "") -> [(path: String, discussion: String)] {
                let path = path.isEmpty ? commandName : "\(path) \(commandName)"
                let inner = (subcommands ?? []).filter { $0.commandName != "help" }
                return inner.isEmpty ? [(path, discussion ?? "")] : inner.flatMap { $0.leaves(path) }
            }
        }

        var command: Command
    }

    private func run(
        _ arguments: [String], in workspace: Workspace, server: String = "http://127.0.0.1:1"
    ) async throws -> Outcome {
        try await workspace.start("shiftlog", arguments, variables: ["SHIFTLOG_SERVER": server]).outcome()
    }

    @Test func `every command has an example that it accepts`() async throws {
        let workspace = try Workspace()
        let help = try await run(["--experimental-dump-help"], in: workspace)
        let leaves = try JSONDecoder().decode(Help.self, from: Data(help.out.utf8)).command.leaves()
        #expect(leaves.count > 30)
        for (path, discussion) in leaves {
            let example = discussion.components(separatedBy: "Example: ").dropFirst().first
            #expect(example != nil, "\(path) has no example")
            // `sync now` is typed as `sync`, and `browse` is that of the journal.
            let typed =
                ["shiftlog sync now": "shiftlog sync", "shiftlog browse": "shiftlog journal browse"][path] ?? path
            #expect(example?.contains(typed) == true, "\(path): \(example ?? "")")
            let words = Self.words(of: example ?? "")
            #expect(throws: Never.self, "\(path): \(words)") { _ = try Main.program.command(of: words) }
        }
    }

    @Test func `every list can be exported`() async throws {
        let help = try await run(["--experimental-dump-help"], in: try Workspace())
        let leaves = try JSONDecoder().decode(Help.self, from: Data(help.out.utf8)).command.leaves().map(\.path)
        let lists = leaves.filter { $0.hasSuffix(" list") }
        #expect(lists.count > 5)
        for list in lists where list != "shiftlog config list" {
            #expect(leaves.contains("\(list.dropLast(" list".count)) export"), "\(list)")
        }
    }

    /// The arguments of the program in an example, up to a redirection. Quotes enclose an argument with blanks.
    private static func words(of example: String) -> [String] {
        let parts = example.components(separatedBy: "shiftlog ").last?.components(separatedBy: "'") ?? []
        let words = parts.enumerated().flatMap { index, part in
            index.isMultiple(of: 2) ? part.split(whereSeparator: \.isWhitespace).map(String.init) : [part]
        }
        return Array(words.prefix { $0 != ">" })
    }

    @Test(arguments: [["--help"], ["journal", "list", "--help"], ["--version"]])
    func `help that cannot be written ends with a failure`(arguments: [String]) async throws {
        let workspace = try Workspace()
        let line = (["exec", "\(Workspace.products)/shiftlog"] + arguments + [">/dev/full"]).joined(separator: " ")
        let outcome = try await Program(
            "/bin/sh", ["-c", line], environment: workspace.environment, folder: workspace.root
        ).outcome()
        #expect(outcome.status == 73)
        #expect(outcome.err.contains("Standard output cannot be written"))
    }

    @Test func `a usage error has one form, and is JSON with --json`() async throws {
        let workspace = try Workspace()
        let people = try await run(["journal", "lst"], in: workspace)
        #expect(people.status == 64)
        #expect(
            people.err == "error: 'lst' is no command of 'shiftlog journal'. Did you mean 'list'?\n"
                + "See 'shiftlog journal --help'.\n")
        let programs = try await run(["--json", "journal", "list", "--limit", "-1"], in: workspace)
        #expect(programs.status == 64 && programs.out.isEmpty)
        #expect(programs.err.contains(#""message":"--limit must be 1 or more; it is -1.""#))
    }

    @Test func `a binary and a directory are refused whole, and a file is imported once`() async throws {
        let workspace = try Workspace()
        let binary = try await run(["journal", "import", "/bin/sh", "--offline"], in: workspace)
        #expect(binary.status == 65 && binary.err.contains("The log is no text"))
        let folder = try await run(["journal", "import", "/tmp", "--offline"], in: workspace)
        #expect(folder.status == 65 && folder.err.contains("'/tmp' is a directory"))
        let log = try workspace.write((0..<40).map { "line \($0 % 3)\n" }.joined(), to: "plain.log")
        let first = try await run(["journal", "import", log, "--offline"], in: workspace)
        #expect(first.out.hasSuffix("done: 40 accepted, 0 already known, 0 rejected\n"))
        let second = try await run(["journal", "import", log, "--offline"], in: workspace)
        #expect(second.out == "done: 0 accepted, 40 already known, 0 rejected\n")
    }

    @Test func `times are local unless UTC is asked for`() async throws {
        let workspace = try Workspace(settings: ["TZ": "XST-02:30"])
        let added = try await run(["journal", "add", "x", "--at", "2026-01-01T10:00:00Z", "--offline"], in: workspace)
        let id = String(added.out.prefix(36))
        let local = try await run(["journal", "show", String(id.suffix(7)), "--offline"], in: workspace)
        #expect(local.out.contains("occurred  2026-01-01 12:30:00+02:30"))
        let universal = try await run(["--utc", "journal", "show", id, "--offline"], in: workspace)
        #expect(universal.out.contains("occurred  2026-01-01 10:00:00Z"))
        let unknown = try Workspace(settings: ["TZ": "No/Such_Zone"])
        _ = try await run(["journal", "add", "x", "--at", "2026-01-01T10:00:00Z", "--offline"], in: unknown)
        #expect(try await run(["journal", "list", "--offline"], in: unknown).out.contains("2026-01-01 10:00:00Z"))
    }
}
