public import ArgumentParser
public import StrataDomain

/// `badges list [--limit N]`.
public struct ResourceListCommand<Item: ListedResource>: ConsoleCommand {
    public static var configuration: CommandConfiguration {
        CommandConfiguration("list", Item.listing, example: "\(Item.path) \(Item.example)")
    }

    /// Which resources are listed.
    @OptionGroup public var scope: Item.Scope
    /// What every list takes.
    @OptionGroup public var common: ListOptions
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ tools: Item.Tools, _ console: Console) async throws {
        let found = try await Item.list(tools, in: scope, options, upTo: common.rows(console))
        let view = ListView<Item>(common, empty: Item.empty(scope)) { items in
            Table(items, [.id(of: items.first?.owner) { $0.id.rawValue }] + Item.columns)
        }
        try console.list(found.items, view, of: found.total)
    }
}

/// `badges show ID`.
public struct ResourceShowCommand<Item: ManagedResource>: ConsoleCommand {
    public static var configuration: CommandConfiguration {
        CommandConfiguration("show", "Show one of the \(Item.plural).", example: "\(Item.path) show 9f2c41d")
    }

    /// The resource that is shown.
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

    /// The resource that is removed.
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
