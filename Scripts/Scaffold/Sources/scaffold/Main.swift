import ArgumentParser
import Glibc
import ScaffoldKit

/// `scaffold`: what Scripts/new-feature and its siblings run.
@main struct Main {
    static func main() {
        do {
            var command = try Scaffold.parseAsRoot()
            try command.run()
        } catch let refusal as ScaffoldRefusal {
            end(refusal.description, .refused)
        } catch let code as ArgumentParser.ExitCode {
            exit(code.rawValue)
        } catch {
            let text = Scaffold.fullMessage(for: error)
            guard Scaffold.exitCode(for: error) == .success else { end(text, .usage) }
            print(text)
        }
    }

    private static func end(_ text: String, _ code: ScaffoldKit.ExitCode) -> Never {
        let line = text + "\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        exit(code.rawValue)
    }
}

struct Scaffold: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scaffold", abstract: "Adds features to this repository, and takes them out again.",
        discussion: "Exit codes: 0 done, 1 refused, 2 usage, 3 a dry run that would change something.",
        subcommands: [
            // scaffold:only Template
            NewServiceCommand.self, UpdateCommand.self,
            // scaffold:end-only
            NewFeature.self, RemoveFeatureCommand.self, ListFeatures.self, CheckFeature.self,
        ])
}
