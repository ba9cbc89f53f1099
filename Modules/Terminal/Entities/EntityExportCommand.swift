public import ArgumentParser
public import StrataDomain
import StrataSystem

/// `notes export [--format csv|json|ndjson|markdown] [-o FILE] [--columns id,text] [--level high]`.
public struct EntityExportCommand<View: EntityView>: EntityCommand {
    public typealias Content = View.Content
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "export", abstract: "Write all \(Content.plural) to a file or standard output.",
            discussion: """
                CSV is UTF-8 as RFC 4180 has it: the first line names the columns, lines end with CRLF, an empty cell is no value, and "" \
                is an empty text. Values are written as they are. A spreadsheet takes a text that begins with =, +, - or @ for a formula: \
                import the file there with its columns as text.

                Where there is '\(Content.commandName) import', it takes a file of csv or ndjson. Markdown leaves out fields that lists do \
                not show. The rows are complete: read from the server, or from the offline store; --offline writes the copy that is here. \
                The file of -o appears when it is complete.

                Example: \(ProgramName.current) \(Content.commandName) export -o \(Content.path.replacing("/", with: "-")).csv
                """)
    }

    @OptionGroup var target: ExportOptions
    /// `--columns`: names of columns with commas between them; `nil` for all.
    @Option(
        help: ArgumentHelp(
            "The columns, with commas, of csv, ndjson and markdown: also updated_at, author and sync_state (default: id, fields, version).",
            valueName: "names"))
    public var columns: String?
    /// Which entities are written.
    @OptionGroup public var selection: EntitySelection<Content>
    @OptionGroup var reading: ReadingOption
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func validate() throws {
        try reading.check(options)
        try target.check(options)
        if columns != nil, target.format(options) == .json {
            throw ValidationError("The objects of json have all columns; --columns is for csv, ndjson and markdown.")
        }
    }

    public func run(_ entities: EntityUseCases<Content>, _ console: Console) async throws {
        let query = try await entities.resolved(selection.query(limit: nil))
        let policy: ReadPolicy =
            options.offline ? .cacheOnly : reading.refresh ? .mustAsk : entities.completeRead
        let found = try await entities.reduce(
            query, policy,
            into: ExportOutput(
                console, target.format(options), ExportRow(View.self, try chosenColumns), path: target.path)
        ) { $0.add($1) }
        if let origin = found.origin.note(at: console.clock.now) { console.note(origin) }
        var output = found.value
        try output.finish()
        target.note(output.count, Content.noun, Content.plural, console)
        await console.noteFreshness(entities)
    }

    private var chosenColumns: [EntityColumn<Content>] {
        get throws(DomainError) {
            if let columns { return try EntityColumn.named(columns) }
            let standard = EntityColumn<Content>.standard
            return target.format(options) == .markdown ? standard.filter { $0.field?.isRedacted != true } : standard
        }
    }
}
