public import ArgumentParser
public import StrataDomain
import StrataSystem

/// A command about the entities of one kind.
public protocol EntityCommand<Content>: ConsoleCommand where Tools == EntityUseCases<Content> {
    /// The entity of the command.
    associatedtype Content: Entity
}

extension EntityCommand {
    /// The complete id of a part of one.
    public func completed(
        _ id: Identifier<Content>, _ entities: EntityUseCases<Content>
    ) async throws -> Identifier<Content> {
        try await id.completed { try await entities.ids(with: $0) }
    }
}

extension Entity {
    /// `list`, `show`, `browse`, `add`, `edit`, `rm`, `export` and `import`, for the group of the entity.
    public static var commands: [any ParsableCommand.Type] { FieldsView<Self>.commands }
}

extension EntityView {
    /// `list`, `show`, `browse`, `add`, `edit`, `rm`, `export` and `import`, for the group of the entity; `stats` where it has
    /// aggregates.
    public static var commands: [any ParsableCommand.Type] {
        let stats: [any ParsableCommand.Type] = Content.aggregates.isEmpty ? [] : [EntityStatsCommand<Self>.self]
        return [
            EntityListCommand<Self>.self, EntityShowCommand<Self>.self, EntityBrowseCommand<Self>.self,
            EntityAddCommand<Self>.self, EntityEditCommand<Self>.self, EntityRemoveCommand<Self>.self,
            EntityExportCommand<Self>.self, EntityImportCommand<Self>.self,
        ] + stats
    }

    fileprivate static func configuration(
        _ verb: EntityVerb, _ name: String, _ abstract: String, example words: String
    ) -> CommandConfiguration {
        let example = "Example: \(ProgramName.current) \(Content.commandName) \(name) \(words)"
        return CommandConfiguration(
            commandName: name, abstract: abstract,
            discussion: (discussion(verb).map { "\($0)\n\n" } ?? "") + example)
    }
}

/// `notes list [--limit N] [--level high] [--search disk] [--sort -text] [--refresh]`.
public struct EntityListCommand<View: EntityView>: EntityCommand {
    public typealias Content = View.Content
    public static var configuration: CommandConfiguration {
        let filter = Content.fields.first(where: \.isFilterable).map { " \($0.example($0.filterOption))" } ?? ""
        return View.configuration(
            .list, "list", "List \(Content.plural), \(EntityQuery<Content>.standardOrder).",
            example: "--limit 200\(filter)")
    }

    /// What `list` takes.
    @OptionGroup public var list: EntityListOptions<Content>
    @OptionGroup var reading: ReadingOption
    @OptionGroup public var options: GlobalOptions

    public init() {}
    public func validate() throws { try reading.check(options) }
    public var timeLimit: Duration? { list.timeLimit(options) }

    public func run(_ entities: EntityUseCases<Content>, _ console: Console) async throws {
        let query = try await entities.resolved(list.query(console))
        let empty = query.isBeginning ? View.emptyList : list.noMatch
        let view = View.list(list.common, empty: empty)
        if list.follow { try await console.follow(entities, query, view) }
        let read = try await entities.reduce(query, reading.policy(options), into: console.list(view)) { $0.add($1) }
        let found = query.isBeginning ? await console.explained(read, View.self, entities) : read
        let names = await entities.names(in: found.value.items)
        try await console.paged { console in
            var found = found
            found.value.move(to: console)
            try ReferenceNames.$shown.withValue(names) { try console.finish(found) }
        }
        await console.noteFreshness(entities)
    }
}

/// `notes show ID [--refresh]`.
public struct EntityShowCommand<View: EntityView>: EntityCommand {
    public typealias Content = View.Content
    public static var configuration: CommandConfiguration {
        View.configuration(.show, "show", "Show one \(Content.noun).", example: "9f2c41d")
    }

    /// The entity that is shown.
    @Argument(
        help: "From '\(View.Content.commandName) list'.", completion: .ids(of: View.Content.collection))
    public var id: Identifier<Content>
    @OptionGroup var reading: ReadingOption
    @OptionGroup public var options: GlobalOptions

    public init() {}
    public func validate() throws { try reading.check(options) }

    public func run(_ entities: EntityUseCases<Content>, _ console: Console) async throws {
        let found = try await entities.get(completed(id, entities), reading.policy(options))
        let names = console.isJSON ? ReferenceNames() : await entities.names(in: [found.value])
        try await console.paged { console in
            try ReferenceNames.$shown.withValue(names) { try console.show(View.self, found) }
        }
        await console.noteFreshness(entities)
    }
}

/// `notes add --title T`.
public struct EntityAddCommand<View: EntityView>: EntityCommand {
    public typealias Content = View.Content
    public static var configuration: CommandConfiguration {
        let fields = Content.fields.filter { !$0.mayBeOmitted }.sorted {
            $1.input != .argument && $0.input == .argument
        }
        return View.configuration(
            .add, View.addName, "Create one \(Content.noun).", example: fields.map(\.example).joined(separator: " "))
    }

    /// The values of the new entity.
    @OptionGroup public var fields: EntityOptions<Content, NewValues>
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ entities: EntityUseCases<Content>, _ console: Console) async throws {
        var given = try await entities.resolved(fields.values(console))
        for field in Content.fields where field.kind.isList && !field.mayBeOmitted && given[field.name] == nil {
            given[field.name] = field.noValue
        }
        let context = NewEntityContext(now: console.clock.now, host: console.hostName)
        let content = try Content(fields: Content.completed(given, context))
        let advice = try await entities.advice(on: given, isNew: true)
        try console.confirm(View.self, try await entities.create(content), "created", advice)
    }
}

/// `notes edit ID --title T --clear FIELD`.
public struct EntityEditCommand<View: EntityView>: EntityCommand {
    public typealias Content = View.Content
    public static var configuration: CommandConfiguration {
        let field = Content.fields.first { $0.input != .argument } ?? Content.fields.first
        return View.configuration(
            .edit, "edit", "Update some fields of one \(Content.noun); the others keep their values.",
            example: "9f2c41d \(field.map { $0.example($0.option) } ?? "")")
    }

    /// The entity that is changed.
    @Argument(
        help: "From '\(View.Content.commandName) list'.", completion: .ids(of: View.Content.collection))
    public var id: Identifier<Content>
    /// The values that it gets.
    @OptionGroup public var fields: EntityOptions<Content, ChangedValues>
    /// `--clear`: fields whose value is taken away.
    @Option(help: "A field to leave without a value; may be repeated.") public var clear: [String] = []
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func validate() throws {
        if fields.isEmpty, clear.isEmpty {
            let names =
                Content.fields.map { "--\($0.option)" }
                + (Content.fields.contains(where: \.mayBeCleared) ? ["--clear"] : [])
            throw ValidationError("Nothing to change: give one of \(names.joined(separator: ", ")).")
        }
    }

    public func run(_ entities: EntityUseCases<Content>, _ console: Console) async throws {
        var given = try await entities.resolved(fields.values(console))
        for name in try clear.map(Content.optionalField) {
            given[name] = Content.fields.first { $0.name == name }?.noValue
        }
        let changes = given
        let advice = try await entities.advice(on: changes, isNew: false)
        let edited = try await entities.update(completed(id, entities)) { content throws(DomainError) in
            content = try content.changing(changes)
        }
        try console.confirm(View.self, edited, "updated", advice)
    }
}

/// `notes rm ID`.
public struct EntityRemoveCommand<View: EntityView>: EntityCommand {
    public typealias Content = View.Content
    public static var configuration: CommandConfiguration {
        View.configuration(.remove, "rm", "Delete one \(Content.noun).", example: "9f2c41d")
    }

    /// The entity that is removed.
    @Argument(
        help: "From '\(View.Content.commandName) list'.", completion: .ids(of: View.Content.collection))
    public var id: Identifier<Content>
    @OptionGroup public var options: GlobalOptions

    public init() {}

    public func run(_ entities: EntityUseCases<Content>, _ console: Console) async throws {
        let id = try await completed(id, entities)
        try await entities.delete(id)
        try console.confirm(id.rawValue, "deleted")
    }
}

extension EntityField {
    fileprivate var example: String { input == .argument ? "'\(label)'" : example(option) }

    /// `--started-at STARTED-AT`
    fileprivate func example(_ option: String) -> String { "--\(option) \(option.uppercased())" }
}
