import ArgumentParser
import StrataTerminal
import Testing

struct GlobalOptionsTests {
    @Test(arguments: [
        (["--json", "runbooks", "list"], ["runbooks", "list", "--json"]),
        (["runbooks", "--json", "list"], ["runbooks", "list", "--json"]),
        (["runbooks", "list", "--json"], ["runbooks", "list", "--json"]),
        (["--server", "http://x", "whoami"], ["whoami", "--server", "http://x"]),
        (["--server=http://x", "whoami"], ["whoami", "--server=http://x"]),
        (
            ["-v", "--offline", "--profile", "p", "--timeout", "5", "--color", "never", "sync"],
            ["sync", "-v", "--offline", "--profile", "p", "--timeout", "5", "--color", "never"]
        ),
        (["journal", "add", "--", "--json"], ["journal", "add", "--", "--json"]),
        (["--json", "journal", "add", "--", "-v", "--json"], ["journal", "add", "--json", "--", "-v", "--json"]),
        (["--server"], ["--server"]),
        (["--server", "--json", "whoami"], ["whoami", "--server", "--json"]),
        (["--server", "--", "x"], ["--server", "--", "x"]),
        (["--jsonx", "--serverx", "y"], ["--jsonx", "--serverx", "y"]),
        (["journal", "add", "-", "--json"], ["journal", "add", "-", "--json"]),
        ([], []),
    ])
    func `global options are accepted before the command`(arguments: [String], moved: [String]) {
        #expect(GlobalOptions.movedToTheEnd(arguments) == moved)
        #expect(GlobalOptions.movedToTheEnd(moved) == moved, "moving twice moves nothing more")
    }

    @Test func `a global option that is not given is nil`() throws {
        let options = try GlobalOptions.parse([])
        #expect(options.server == nil)
        #expect(options.profile == nil)
        #expect(options.deadline == nil)
        #expect(!options.json && !options.offline && !options.verbose)
        #expect(options.color == .auto)
    }

    @Test func `every global option is parsed`() throws {
        let options = try GlobalOptions.parse([
            "--server", "https://x", "--profile", "work", "--json", "--color", "always", "-v", "--timeout", "2.5",
            "--offline",
        ])
        #expect(options.server == "https://x")
        #expect(options.profile == "work")
        #expect(options.json && options.verbose && options.offline)
        #expect(options.color == .always)
        #expect(options.deadline == .seconds(2.5))
    }

    @Test(arguments: ["0", "-1", "nan", "inf", "86401", "soon", ""])
    func `an invalid timeout is a usage error`(text: String) {
        #expect(usageStatus { _ = try GlobalOptions.parse(["--timeout=\(text)"]) } == 64)
    }

    @Test func `an unknown colour mode is a usage error`() {
        #expect(usageStatus { _ = try GlobalOptions.parse(["--color", "pink"]) } == 64)
    }

    private func usageStatus(_ parse: () throws -> Void) -> Int32? {
        do { try parse() } catch { return GlobalOptions.exitCode(for: error).rawValue }
        return nil
    }
}
