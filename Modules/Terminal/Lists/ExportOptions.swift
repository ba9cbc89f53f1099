import ArgumentParser
import StrataDomain

/// The forms in which a list leaves the program.
enum ExportFormat: String, Sendable, CaseIterable, ExpressibleByArgument {
    case csv, json, ndjson, markdown

    /// That of a file by the end of its name.
    init?(path: String) {
        guard let dot = path.lastIndex(of: ".") else { return nil }
        switch path[dot...].lowercased() {
        case ".csv": self = .csv
        case ".json": self = .json
        case ".ndjson", ".jsonl": self = .ndjson
        case ".md", ".markdown": self = .markdown
        default: return nil
        }
    }
}

/// Where an export goes, and its format: `--format csv -o FILE`.
struct ExportOptions: ParsableArguments, Sendable {
    @Option(help: "The format (default: by the name of the file; otherwise csv, and json with --json).")
    var format: ExportFormat?
    @Option(
        name: [.short, .long], help: ArgumentHelp("The file to write; - for standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    /// `nil`: standard output.
    var path: String? { output == "-" ? nil : output }

    func format(_ options: GlobalOptions) -> ExportFormat {
        format ?? (options.json ? .json : output.flatMap { ExportFormat(path: $0) } ?? .csv)
    }

    /// - Throws: A usage error for two formats.
    func check(_ options: GlobalOptions) throws {
        if options.json, let format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) contradict each other; give one of them.")
        }
    }

    /// Says how many rows are in the file; nothing on standard output.
    func note(_ count: Int, _ noun: String, _ plural: String, _ console: Console) {
        guard let path else { return }
        let rows = QuantityText.count(count, noun, plural: plural)
        console.note("\(rows) \(count == 1 ? "is" : "are") in '\(path)'.")
    }
}
