import ArgumentParser
import StrataTerminal

/// `completion bash|zsh|fish`: prints the completion script of a shell.
struct CompletionCommand: ParsableCommand {
    static var configuration: CommandConfiguration {
        let program = RootCommand.configuration.commandName ?? ""
        return CommandConfiguration(
            commandName: "completion", abstract: "Print the completion script of a shell.",
            discussion: """
                Packages install it. Without a package: 'source <(\(program) completion bash)', or save it where the shell looks for \
                completions.

                Example: \(program) completion bash
                """)
    }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run() { Console(json: false).document(RootCommand.completionScript(for: shell.parsers)) }

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        fileprivate var parsers: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }
}
