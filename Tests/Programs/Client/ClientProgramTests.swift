import AccountsPresentation
import ArgumentParser
import StrataDomain
import StrataTerminal
import StrataTesting
import Testing

@testable import StrataClientProgram

@Suite struct `A program made of its name and its lists` {
    @Test func `the help has the abstract, the commands in the order of the list, and completion at the end`() throws {
        let tides = try Tides(commands: [.status, .cache])
        let help = RootCommand.$configuration.withValue(tides.program.root) { RootCommand.helpMessage() }
        let places = ["Tide levels.", "tide-desk <subcommand>", "  status", "  doctor", "  cache", "  completion"]
            .map { help.ranges(of: $0).first?.lowerBound }
        #expect(!places.contains(nil), "\(help)")
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted(), "\(help)")
        #expect(help.contains("Exit codes: 0 done, 64 usage"))
    }

    @Test func `two programs in one process have commands of their own`() throws {
        let (first, second) = (try Tides(commands: [.status]).program, try Tides(commands: [.cache]).program)
        #expect(try first.command(of: ["status"]) is StatusCommand)
        #expect(throws: (any Error).self) { try first.command(of: ["cache", "stats"]) }
        #expect(try second.command(of: ["cache", "stats"]) is any ConsoleCommand)
        #expect(throws: (any Error).self) { try second.command(of: ["status"]) }
    }

    @Test func `users take the roles of the service, and no others`() throws {
        let plain = try Tides(commands: [.accounts])
        let own = try Tides(
            commands: [.accounts],
            roles: ["viewer", "planner"],
            name: "rota")
        for (tides, role, isKnown) in [
            (plain, "member", true), (plain, "viewer", false), (own, "admin", true), (own, "viewer", true),
            (own, "boss", false),
        ] {
            let words = ["users", "create", "bob", "--role", role]
            #expect((try? tides.program.command(of: words)) is UserCreateCommand == isKnown, "\(role)")
        }
    }

    @Test(arguments: [CompletionShell.bash, .zsh, .fish])
    func `a completion script is of the program's name, and so is its own example`(shell: CompletionShell) throws {
        let (script, example) = RootCommand.$configuration.withValue(try Tides().program.root) {
            (RootCommand.completionScript(for: shell), CompletionCommand.configuration.discussion)
        }
        #expect(script.contains("tide-desk"))
        #expect(example.contains("source <(tide-desk completion bash)"))
        #expect(example.hasSuffix("Example: tide-desk completion bash"))
    }

    @Test func `the command of another program is refused with no tools made`() async throws {
        let tides = try Tides(commands: [.cache])
        let console = Console(json: false, output: MemorySink(), errors: MemorySink())
        let command = try #require(try Tides().program.command(of: ["status"]) as? any ConsoleCommand)
        let settings = try tides.settings()
        let error = await #expect(throws: (any Error).self) {
            try await Dispatcher.run(command, settings, console)
        }
        #expect("\(String(describing: error))".contains("not connected to anything"))
    }

    @Test func `a program where nothing works offline says so instead of synchronising`() async throws {
        let tides = try Tides()
        let output = MemorySink()
        let command = try #require(try tides.program.command(of: ["sync"]) as? any ConsoleCommand)
        let status = try await Dispatcher.run(
            command, tides.settings(), Console(json: false, output: output, errors: MemorySink()))
        #expect(status == .done)
        #expect(output.text == "\(StatusTools.nothingOffline)\n")
    }
}
