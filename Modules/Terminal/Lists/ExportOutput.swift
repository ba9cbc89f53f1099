import FoundationEssentials
import StrataDomain
import StrataSystem

/// Writes the rows of a list while they are read; holds some 64 KiB.
///
/// Nothing is written before that, so that a list whose first read fails leaves the output empty; a file appears with `finish`.
struct ExportOutput<Item: Sendable>: Sendable {
    private let console: Console
    private let format: ExportFormat
    private let row: ExportRow<Item>
    /// `nil`: standard output.
    private let file: OutputFile?
    private(set) var count = 0
    private var text: String
    /// The first row that cannot be written ends the export.
    private var failure: (any Error)?

    private static var pieceLength: Int { 65_536 }

    /// - Throws: `CommandFailure` with status 73 for a file that cannot be written.
    init(
        _ console: Console, _ format: ExportFormat, _ row: ExportRow<Item>, path: String?
    ) throws(CommandFailure) {
        (self.console, self.format, self.row) = (console, format, row)
        do throws(NetworkError) { file = try path.map { path throws(NetworkError) in try OutputFile(path) } } catch {
            throw CommandFailure(.cannotWrite, error.description)
        }
        text =
            switch format {
            case .csv: CSVText.record(row.names)
            case .json, .ndjson: ""
            case .markdown: Self.row(row.names) + Self.row(row.names.map { _ in "---" })
            }
    }

    mutating func add(_ item: Item) {
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

    private func line(_ item: Item) throws -> String {
        switch format {
        case .csv: CSVText.record(row.cells(item))
        case .json: (count == 0 ? "[" : ",") + (try Self.json(row.document(item)))
        case .ndjson: try Self.json(row.line(item)) + "\n"
        case .markdown: Self.row(row.cells(item).map { Self.escaped($0 ?? "") })
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

    private static func json(_ value: any Encodable) throws -> String {
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

/// What an export writes of a row.
struct ExportRow<Item: Sendable>: Sendable {
    /// The headings of csv and markdown, and below them the cells.
    let names: [String]
    let cells: @Sendable (Item) -> [String?]
    /// An element of json.
    let document: @Sendable (Item) -> any Encodable
    /// A line of ndjson.
    let line: @Sendable (Item) -> any Encodable
}

extension ExportRow {
    /// ndjson has the columns, json the document of the view.
    init<View: EntityView>(_ view: View.Type, _ columns: [EntityColumn<View.Content>])
    where Item == Stored<View.Content> {
        names = columns.map(\.name)
        cells = { item in columns.map { $0.cell(item) } }
        document = { View.document($0) }
        line = { item in Dictionary(columns.map { ($0.name, $0.value(item)) }) { first, _ in first } }
    }
}

extension ExportRow where Item: ListedRow {
    /// json and ndjson have the document of the row.
    init(_ columns: [ListColumn<Item>]) {
        names = columns.map(\.name)
        cells = { item in columns.map { $0.cell(item).value } }
        document = { $0.document }
        line = { $0.document }
    }
}
