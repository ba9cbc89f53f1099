package import ArgumentParser
import FoundationEssentials
package import JournalDomain
import StrataDomain
package import StrataTerminal

/// `report [--since 12h] [--format text|json|html]`.
package struct ReportCommand: JournalCommand {
    package static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Summarise a period for the hand-over.",
        discussion: "Example: shiftlog report --since 12h --format html > report.html")

    package enum Format: String, Sendable, CaseIterable, ExpressibleByArgument {
        case text, json, html
    }

    @OptionGroup var period: SinceOption
    @Option(help: "The output format (default: text, or json with --json).")
    package var format: Format?
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func validate() throws {
        if options.json, let format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) contradict each other; give one of them.")
        }
    }

    package func run(_ journal: Journal, _ console: Console) async throws {
        let report = try await journal.report(since: try period.date(console.clock.now))
        switch format ?? (console.isJSON ? .json : .text) {
        case .text: console.write(report)
        case .json: try console.json(report)
        case .html: console.document(ReportPage(report, console.times).html)
        }
    }
}
