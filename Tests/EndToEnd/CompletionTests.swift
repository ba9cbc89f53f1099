import Foundation
import Testing

/// The completion scripts in the shells they are for.
@Suite struct CompletionTests {
    @Test(arguments: [
        (["jour"], ["journal"]), (["journal", ""], ["list", "add", "import"]),
        (["journal", "add", "--sev"], ["--severity"]),
        (["journal", "list", "--severity", ""], ["info", "warning", "critical"]), (["completion", "b"], ["bash"]),
    ])
    func `bash completes commands, options and values`(typed: [String], offered: [String]) async throws {
        let workspace = try Workspace()
        let words = (["shiftlog"] + typed).map { "'\($0)'" }.joined(separator: " ")
        let script = """
            source <('\(Workspace.products)/shiftlog' completion bash)
            COMP_WORDS=(\(words)); COMP_CWORD=\(typed.count)
            COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
            complete -p shiftlog >&2
            _shiftlog shiftlog "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let outcome = try await Program(
            "/bin/bash", ["--noprofile", "--norc", "-c", script], environment: workspace.environment,
            folder: workspace.root
        ).outcome()
        let found = outcome.out.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(outcome.err.contains("-F _shiftlog shiftlog"))
        for word in offered { #expect(found.contains(word), "\(found) \(outcome.err)") }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `each shell accepts its script`(shell: String) async throws {
        let path = try Self.path(of: shell)
        let workspace = try Workspace()
        let printed = try await workspace.start("shiftlog", ["completion", shell]).outcome()
        #expect(printed.status == 0 && printed.out.count > 1000)
        let file = try workspace.write(printed.out, to: "completion")
        let checked = try await Program(
            path, ["-n", file], environment: workspace.environment, folder: workspace.root
        ).outcome()
        #expect(checked.status == 0 && checked.err.isEmpty, "\(checked.err)")
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `tab in each shell offers words, ids and titles`(shell: String) async throws {
        _ = try Self.path(of: shell)
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Scripts/lib/completions.py"
        ).standardizedFileURL.path
        let workspace = try Workspace()
        let outcome = try await Program(
            "/usr/bin/env", ["python3", "-B", script, "\(Workspace.products)/shiftlog", shell],
            environment: workspace.environment, folder: workspace.root
        ).outcome()
        #expect(outcome.status == 0, "\(outcome.out) \(outcome.err)")
    }

    /// A shell that is missing is a failure: without it nothing is known of its completion.
    private static func path(of shell: String) throws -> String {
        let path = "/usr/bin/\(shell)"
        try #require(
            FileManager.default.isExecutableFile(atPath: path), "Install the package \(shell), as Scripts/test does.")
        return path
    }

    @Test func `another shell is a usage error`() async throws {
        let outcome = try await Workspace().start("shiftlog", ["completion", "ksh"]).outcome()
        #expect(outcome.status == 64)
    }
}
