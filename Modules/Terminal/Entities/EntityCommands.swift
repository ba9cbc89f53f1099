public import ArgumentParser
public import StrataDomain
import StrataSystem

/// A command about the entities of one kind.
public protocol EntityCommand<Content>: ConsoleCommand where Tools == EntityUseCases<Content> {
    associatedtype Content: Entity
}

extension EntityCommand {
    fileprivate static func example(_ words: String) -> String {
        "Example: \(ProgramName.current) \(Content.path) \(words)"
    }

    /// The complete id of a part of one.
    ///
    /// The server is asked only where no stored entity, and none that was shown, has that part.
    public func completed(
        _ id: Identifier<Content>, _ entities: EntityUseCases<Content>
    ) async throws -> Identifier<Content> {
        try await id.completed { part in
            let stored = await entities.storedIDs().filter { $0.hasPart(part) }
            return stored.isEmpty ? try await entities.list().value.map(\.id) : stored
        }
    }
}

extension Entity {
    /// `list`, `show`, `add`, `edit` and `rm`, for the group of the entity.
    public static var commands: [any ParsableCommand.Type] {
        [
            EntityListCommand<Self>.self, EntityShowCommand<Self>.self, EntityAddCommand<Self>.self,
            EntityEditCommand<Self>.self, EntityRemoveCommand<Self>.self,
        ]
    }
}

/// `notes list [--limit N] [--level high] [--search disk] [--sort -text] [--refresh]`.
public struct EntityListCommand<Content: Entity>: EntityCommand {
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "list", abstract: "List \(Content.plural), \(EntityQuery<Content>.standardOrder).",
            discussion: example(
                "list --limit 200"
                    + (Content.fields.first(where: \.isFilterable).map { " \($0.example($0.filterOption))" } ?? "")))
    }

    @OptionGroup public var list: EntityListOptions<Content>
    @OptionGroup var reading: ReadingOption
    @OptionGroup public var options: GlobalOptions

    public init() {}
    public func validate() throws { try reading.check(options) }
    public var timeLimit: Duration? { list.timeLimit(options) }

    public func run(_ entities: EntityUseCases<Content>, _ console: Console) async throws {
        let query = list.query(console)
        let view = ListView<Stored<Content>>(rows: list.limit.rows(console), empty: empty(query))
        if list.follow { try await console.follow(entities, query, view) }
        try console.list(
            try await entities.list(query, reading.policy(options)), view, isCut: query.limit != nil)
    }

    private func empty(_ query: EntityQuery<Content>) -> String {
        query.isBeginning ? "There are no \(Content.plural) yet; '\(Content.path) add' adds one." : list.noMatch
    }
}

/// `notes show ID [--refresh]`.
public struct EntityShowCommand<Content: Entity>: EntityCommand {
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "show", abstract: "Show one of the \(Content.plural).", discussion: example("show 9f2c41d"))
    }

    @Argument(help: "From 'list'.") public var id: Identifier<Content>
    @OptionGroup var reading: ReadingOption
    @OptionGroup public var options: GlobalOptions

    public init() {}
    public func validate() throws { try reading.check(options) }

    public func run(_ entities: EntityUseCases<Content>, _ console: Console) async throws {
        try console.show(try await entities.get(completed(id, entities), reading.policy(options)))
    }
}

/// `notes add --title T`.
public struct EntityAddCommand<Content: Entity>: EntityCommand {
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "add", abstract: "Add to the \(Content.plural).",
            discussion: example("add" + Content.fields.filter { !$0.isOptional }.map { " \($0.example)" }.joined()))
    }

    @OptionGroup public var fields: EntityOptions<Content, NewValues>
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ entities: EntityUseCases<Content>, _ console: Console) async throws {
        try console.confirm(try await entities.create(Content(fields: fields.values)), "created")
    }
}

/// `notes edit ID --title T --clear FIELD`.
public struct EntityEditCommand<Content: Entity>: EntityCommand {
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "edit", abstract: "Change some fields; the others keep their values.",
            discussion: example("edit 9f2c41d \(Content.fields.first?.example ?? "")"))
    }

    @Argument(help: "From 'list'.") public var id: Identifier<Content>
    @OptionGroup public var fields: EntityOptions<Content, ChangedValues>
    @Option(help: "A field to leave without a value; may be repeated.") public var clear: [String] = []
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ entities: EntityUseCases<Content>, _ console: Console) async throws {
        var changes = fields.values
        for name in clear { changes[try Content.optionalField(name)] = .null }
        let edited = try await entities.update(completed(id, entities)) { content throws(DomainError) in
            content = try content.changing(changes)
        }
        try console.confirm(edited, "updated")
    }
}

/// `notes rm ID`.
public struct EntityRemoveCommand<Content: Entity>: EntityCommand {
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "rm", abstract: "Remove one of the \(Content.plural).", discussion: example("rm 9f2c41d"))
    }

    @Argument(help: "From 'list'.") public var id: Identifier<Content>
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ entities: EntityUseCases<Content>, _ console: Console) async throws {
        let id = try await completed(id, entities)
        try await entities.delete(id)
        try console.confirm(id.rawValue, "deleted")
    }
}

extension EntityField {
    fileprivate var example: String { example(option) }

    /// `--started-at STARTED-AT`
    fileprivate func example(_ option: String) -> String { "--\(option) \(option.uppercased())" }
}
