package import ArgumentParser
import FoundationEssentials
package import JournalDomain
import StrataDomain
package import StrataTerminal

/// `report [--since 12h] [--format text|json|html] [-o FILE] [--open]`.
package struct ReportCommand: JournalCommand {
    package static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Summarise a period for the hand-over.",
        discussion: """
            The page of --format html is one file without scripts or links to other files, so it can be sent by mail. \
            -o writes it only when it is complete.

            Example: shiftlog report --since 12h --format html -o report.html --open
            """)

    package enum Format: String, Sendable, CaseIterable, ExpressibleByArgument {
        case text, json, html
    }

    @OptionGroup var period: SinceOption
    @Option(help: "The output format (default: text, or json with --json).")
    package var format: Format?
    @Option(
        name: [.short, .long], help: ArgumentHelp("The file to write; - for standard output.", valueName: "file"),
        completion: .file())
    package var output: String?
    @Flag(help: "Open the file of -o in the browser.")
    package var open = false
    @OptionGroup package var options: GlobalOptions

    package init() {}

    package func validate() throws {
        if options.json, let format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) contradict each other; give one of them.")
        }
        if open, output == nil || output == "-" || format != .html {
            throw ValidationError("--open shows a page: give --format html and the file to write, -o FILE.")
        }
    }

    package func run(_ journal: Journal, _ console: Console) async throws {
        let report = try await journal.report(since: try period.date(console.timeInput))
        switch format ?? (console.isJSON ? .json : .text) {
        case .text where output == nil: try await console.paged { $0.write(report) }
        case .text: try console.write(to: output) { $0.write(report) }
        case .json: try console.write(to: output) { try $0.json(report) }
        case .html: try console.write(to: output) { $0.document(ReportPage(report, $0.times).html) }
        }
        await console.noteFreshness(journal.entries)
        if open, let output { await console.openInBrowser(output) }
    }
}
