public import ArgumentParser
public import StrataDomain

/// `badges list [--limit N]`.
public struct ResourceListCommand<Item: ListedResource>: ConsoleCommand {
    public static var configuration: CommandConfiguration {
        CommandConfiguration("list", Item.listing, example: "\(Item.path) \(Item.example)")
    }

    @OptionGroup public var scope: Item.Scope
    @OptionGroup public var limit: ListOptions
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ tools: Item.Tools, _ console: Console) async throws {
        let rows = limit.rows(console)
        let found = try await Item.list(tools, in: scope, options, upTo: rows)
        let view = ListView<Item>(rows: rows, empty: Item.empty(scope)) { items in
            Table(items, [.id(of: items.first?.owner) { $0.id.rawValue }] + Item.columns)
        }
        try console.list(found.items, view, of: found.total, countedTo: found.total == nil ? rows : .max)
    }
}

/// `badges show ID`.
public struct ResourceShowCommand<Item: ManagedResource>: ConsoleCommand {
    public static var configuration: CommandConfiguration {
        CommandConfiguration("show", "Show one of the \(Item.plural).", example: "\(Item.path) show 9f2c41d")
    }

    @Argument(help: ArgumentHelp("From '\(Item.path) list'.")) public var id: Identifier<Item>
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ tools: Item.Tools, _ console: Console) async throws {
        let repository = Item.repository(tools)
        try console.show(try await repository.get(repository.completed(id)))
    }
}

/// `badges rm ID`, by the name of its removal.
public struct ResourceRemoveCommand<Item: ManagedResource>: ConsoleCommand {
    public static var configuration: CommandConfiguration {
        let removal = Item.removal
        return CommandConfiguration(
            removal.name, removal.abstract, example: "\(Item.path) \(removal.name) 9f2c41d")
    }

    @Argument(help: ArgumentHelp("From '\(Item.path) list'.")) public var id: Identifier<Item>
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ tools: Item.Tools, _ console: Console) async throws {
        let repository = Item.repository(tools)
        let id = try await repository.completed(id)
        try await repository.delete(id)
        try console.confirm(id.rawValue, Item.removal.result)
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
