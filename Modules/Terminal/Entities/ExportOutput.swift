import ArgumentParser
import FoundationEssentials
import StrataDomain
import StrataSystem

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

/// Writes the rows of a list while they are read; holds some 64 KiB.
///
/// Nothing is written before that, so that a list whose first read fails leaves the output empty; a file appears with `finish`.
struct ExportOutput<View: EntityView>: Sendable {
    private let console: Console
    private let format: ExportFormat
    private let columns: [EntityColumn<View.Content>]
    /// `nil`: standard output.
    private let file: OutputFile?
    private(set) var count = 0
    private var text: String
    /// The first row that cannot be written ends the export.
    private var failure: (any Error)?

    private static var pieceLength: Int { 65_536 }

    /// - Throws: `CommandFailure` with status 73 for a file that cannot be written.
    init(
        _ console: Console, _ format: ExportFormat, _ columns: [EntityColumn<View.Content>], path: String?
    ) throws(CommandFailure) {
        (self.console, self.format, self.columns) = (console, format, columns)
        do throws(NetworkError) { file = try path.map { path throws(NetworkError) in try OutputFile(path) } } catch {
            throw CommandFailure(.cannotWrite, error.description)
        }
        let names = columns.map(\.name)
        text =
            switch format {
            case .csv: CSVText.record(names)
            case .json, .ndjson: ""
            case .markdown: Self.row(names) + Self.row(names.map { _ in "---" })
            }
    }

    mutating func add(_ item: Stored<View.Content>) {
        guard failure == nil else { return }
        do {
            text += try line(item)
            count += 1
            if text.utf8.count >= Self.pieceLength { try flush() }
        } catch { failure = error }
    }

    /// - Throws: Why a row could not be written. A file is not there then.
    mutating func finish() throws {
        if let failure { throw failure }
        if format == .json { text += count == 0 ? "[]\n" : "]\n" }
        try flush()
        do throws(NetworkError) { try file?.commit() } catch { throw Self.failed(error) }
    }

    private func line(_ item: Stored<View.Content>) throws -> String {
        switch format {
        case .csv: CSVText.record(columns.map { $0.cell(item) })
        case .json: (count == 0 ? "[" : ",") + (try Self.json(View.document(item)))
        case .ndjson:
            try Self.json(Dictionary(columns.map { ($0.name, $0.value(item)) }) { first, _ in first }) + "\n"
        case .markdown: Self.row(columns.map { Self.escaped($0.cell(item) ?? "") })
        }
    }

    private mutating func flush() throws {
        defer { text = "" }
        guard let file else {
            // A terminal would act on control characters.
            return console.output.write(
                console.output.isTerminal ? SafeText.escaped(text.replacing("\r\n", with: "\n")) : text)
        }
        do throws(NetworkError) { try file.write(Data(text.utf8)) } catch { throw Self.failed(error) }
    }

    private static func failed(_ error: NetworkError) -> CommandFailure {
        CommandFailure(.cannotWrite, error.description)
    }

    private static func json(_ value: some Encodable) throws -> String {
        SafeText.escapedJSON(String(decoding: try WireJSON.encode(value), as: UTF8.self))
    }

    private static func row(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |\n" }

    /// Text that is neither Markdown's table nor HTML.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "|": escaped += "\\\(scalar)"
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case "\n": escaped += "<br>"
            case "\r": break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
