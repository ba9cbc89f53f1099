public import ArgumentParser
public import StrataDomain
import StrataSystem

/// How an import of rows goes: `--dry-run --skip-invalid`.
public struct ImportOptions: ParsableArguments, Sendable {
    /// `--dry-run`: reads and checks, and writes nothing.
    @Flag(help: "Check the rows and say what they would do, but store nothing.")
    public var dryRun = false
    /// `--skip-invalid`: goes on after a row that is refused.
    @Flag(help: "Store the valid rows although others are not.")
    public var skipInvalid = false

    public init() {}
}

extension RecordFormat: ExpressibleByArgument {}

/// `notes import FILE|- [--format csv|ndjson] [--dry-run] [--skip-invalid]`.
public struct EntityImportCommand<View: EntityView>: EntityCommand {
    public typealias Content = View.Content
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "import", abstract: "Create and change \(Content.plural) by the rows of a file.",
            discussion: """
                The first line of csv names the columns, ndjson has one object on a line; both as 'export' writes them. A row without an \
                id is a new \(Content.noun). A row with one changes the \(Content.noun) that has it: columns that the file lacks stay as \
                they are, an empty cell takes the value away ("" is an empty text), and nothing is changed where the server has a newer \
                version than the column 'version' says. updated_at, author and sync_state are ignored.

                Every row is checked before the first one is stored. The first \(ImportTally.shownFlaws) flaws are told by line, column and \
                value, the exit code is 65, and nothing is stored unless --skip-invalid lets the valid rows in. A row that the server \
                refuses is told in the same way.

                Importing the same file again creates nothing twice, also after the import was killed: the id of a new row, or the key \
                under which the server knows its creation for 24 hours, follows from the file and the place of the row.

                With --json the only output is one object: {"created", "updated", "unchanged", "invalid", "dry_run", "flaws": [{"line", \
                "column", "value", "reason"}]}.

                Example: \(ProgramName.current) \(Content.commandName) import \(Content.path.replacing("/", with: "-")).csv --dry-run
                """)
    }

    /// The file that is read; `-` for standard input.
    @Argument(help: ArgumentHelp("The file; - for standard input.", valueName: "file"), completion: .file())
    public var path: String
    @Option(help: "The format (default: ndjson where the file begins with {, otherwise csv).")
    var format: RecordFormat?
    /// How the rows are imported.
    @OptionGroup public var importing: ImportOptions
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ entities: EntityUseCases<Content>, _ console: Console) async throws {
        try await console.importRows(of: path, as: format, importing, to: entities)
    }
}

extension Console {
    /// Stores the rows of a file, and prints what became of them.
    ///
    /// - Parameter format: `nil`: by the first character of the file.
    /// - Throws: `CommandFailure` with status 65 when a row is invalid; what the repository throws, after a note of what was stored.
    public func importRows<Content: Entity>(
        of path: String, as format: RecordFormat?, _ options: ImportOptions, to entities: EntityUseCases<Content>
    ) async throws {
        let run = ImportRun(entities: entities, console: self, path: path, options: options, format: format)
        let (tally, isWritten) = try await run()
        let counts =
            "\(tally.created) created, \(tally.updated) updated, \(tally.unchanged) unchanged, \(tally.invalid) invalid"
        if isJSON {
            try jsonOfChange(
                [
                    "created": tally.created, "updated": tally.updated, "unchanged": tally.unchanged,
                    "invalid": tally.invalid, "dry_run": options.dryRun, "flaws": tally.flaws,
                ] as JSONDocument)
        } else {
            for flaw in tally.flaws { warn(flaw.sentence) }
            if tally.invalid > 0, tally.flaws.count == ImportTally.shownFlaws { warn("There may be more flaws.") }
            outOfChange(Text((options.dryRun ? "dry run: " : isWritten ? "done: " : "nothing is stored: ") + counts))
        }
        if tally.invalid > 0 { throw CommandFailure(.rejected) }
    }
}

extension ImportFlaw {
    /// `Line 12, leg_count '12x': must be a whole number.`
    fileprivate var sentence: String {
        guard let column else { return "Line \(line): \(reason)".asSentence }
        return "Line \(line), \(column)\(value.map { " '\($0)'" } ?? ""): \(reason)".asSentence
    }
}
