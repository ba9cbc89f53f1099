public import ArgumentParser
import StrataDomain
import StrataSystem

/// `badges list [--limit N]`.
public struct ResourceListCommand<Item: ListedRow>: ConsoleCommand {
    public static var configuration: CommandConfiguration {
        CommandConfiguration("list", Item.listing, example: Item.example("list --limit 200"))
    }

    /// Which resources are listed.
    @OptionGroup public var scope: Item.Scope
    /// What every list takes.
    @OptionGroup public var common: ListOptions
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ tools: Item.Tools, _ console: Console) async throws {
        let view = ListView<Item>(common, empty: Item.empty(scope)) { items in
            Table(items, Item.allColumns(of: items.first?.owner))
        } document: {
            $0.document
        }
        var output = console.list(view)
        let total = try await Item.read(tools, in: scope, options, upTo: common.rows(console)) { output.add($0) }
        try await console.finish(output, of: total)
        if !console.isJSON, let text = await Item.freshness(tools, at: console.clock.now) { console.note(text) }
    }
}

/// `badges export [--format csv|json|ndjson|markdown] [-o FILE]`.
public struct ResourceExportCommand<Item: ListedRow>: ConsoleCommand {
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "export", abstract: "Write all \(Item.plural) to a file or standard output.",
            discussion: """
                csv and markdown have the columns of the list, json and ndjson the whole rows. An empty cell of csv is no value; times \
                are in UTC. The file of -o appears when it is complete.

                Example: \(ProgramName.current) \(Item.example("export")) -o \(Item.path).csv
                """)
    }

    /// Which resources are written.
    @OptionGroup public var scope: Item.Scope
    @OptionGroup var target: ExportOptions
    @OptionGroup public var options: GlobalOptions

    public init() {}
    public func validate() throws { try target.check(options) }

    public func run(_ tools: Item.Tools, _ console: Console) async throws {
        let row = ExportRow<Item>(Item.allColumns())
        var output = try ExportOutput(console, target.format(options), row, path: target.path)
        _ = try await Item.read(tools, in: scope, options, upTo: .max) { output.add($0) }
        try output.finish()
        target.note(output.count, Item.noun, Item.plural, console)
    }
}

extension ListedRow {
    fileprivate static func allColumns(of owner: String? = nil) -> [ListColumn<Self>] {
        [.id(of: owner) { $0.listedId }] + columns
    }

    /// - Parameter command: With what follows the scope: `list --limit 200`.
    fileprivate static func example(_ command: String) -> String {
        let words = command.split(separator: " ", maxSplits: 1).map(String.init)
        return ([path, words[0], exampleScope] + words.dropFirst()).filter { !$0.isEmpty }.joined(separator: " ")
    }
}

/// `badges show ID`.
public struct ResourceShowCommand<Item: ManagedResource>: ConsoleCommand {
    public static var configuration: CommandConfiguration {
        CommandConfiguration("show", "Show one of the \(Item.plural).", example: "\(Item.path) show 9f2c41d")
    }

    /// The resource that is shown.
    @OptionGroup public var argument: IdArgument<Item>
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ tools: Item.Tools, _ console: Console) async throws {
        let repository = Item.repository(tools)
        try console.show(try await repository.get(repository.completed(argument.id)))
    }
}

/// `badges rm ID`, by the name of its removal.
public struct ResourceRemoveCommand<Item: RemovableResource>: ConsoleCommand {
    public static var configuration: CommandConfiguration {
        let removal = Item.removal
        return CommandConfiguration(
            removal.name, removal.abstract, example: "\(Item.path) \(removal.name) \(Item.exampleRemoval)")
    }

    /// The resource that is removed.
    @OptionGroup public var arguments: Item.RemovalArguments
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ tools: Item.Tools, _ console: Console) async throws {
        try console.confirm(try await Item.remove(arguments, tools).rawValue, Item.removal.result)
    }
}

extension Console {
    /// Prints a row: each column on a line, or JSON.
    public func show<Item: ListedResource>(_ item: Item) throws {
        try show(item) {
            fields([("id", item.id.rawValue)] + Item.columns.map { $0.line(item, times) })
        }
    }
}

extension ListColumn {
    fileprivate func line(_ item: Item, _ times: TimeText) -> (name: String, value: String) {
        let cell = cell(item)
        return (column.title.lowercased(), cell.date.map(times.point) ?? cell.text)
    }
}
