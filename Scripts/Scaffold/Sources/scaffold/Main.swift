import Glibc
import ScaffoldKit

/// `scaffold COMMAND --strata DIR --root DIR …`: what the scripts run. They print the help.
@main struct Main {
    static func main() {
        var words = CommandLine.arguments.dropFirst()
        let isJSON = words.contains("--json")
        do throws(ScaffoldRefusal) {
            let command = words.popFirst() ?? ""
            let report =
                switch command {
                case "new-feature", "add-field", "remove-feature", "list-features", "new-client", "remove-client":
                    try features(command, words)
                case "new-service": try newService(words)
                case "update-from-template": try update(words)
                default:
                    throw ScaffoldRefusal(
                        "'\(command.printable)' is no command of this tool; run a script such as 'Scripts/new-feature'.",
                        .usage)
                }
            print(isJSON ? report.json : report.text)
            exit(report.exitCode.rawValue)
        } catch {
            if isJSON { print(Report(error.exitCode, error.description).json) } else { tell(error.description) }
            exit(error.exitCode.rawValue)
        }
    }

    /// Text for the user on standard error.
    static func tell(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }

    /// An absolute path.
    static func absolute(_ path: String) throws(ScaffoldRefusal) -> String {
        if path.hasPrefix("/") { return path }
        guard let here = getcwd(nil, 0) else {
            throw ScaffoldRefusal("The current folder is gone; use an absolute path.")
        }
        defer { free(here) }
        return String(cString: here) + "/" + path
    }
}
