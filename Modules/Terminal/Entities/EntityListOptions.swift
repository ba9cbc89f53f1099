public import ArgumentParser
public import StrataDomain
import StrataSystem

/// Which entities a list has: `--level high --search disk --sort -text --limit 20`.
public struct EntityListOptions<Content: Entity>: ParsableArguments, Sendable {
    @OptionGroup(title: "Filters") public var filters: EntityOptions<Content, FilterValues>
    @OptionGroup(title: "Filters") public var lowerBounds: EntityOptions<Content, LowerBounds>
    @Option(help: Content.help("Only those with this text, in", Content.fields.filter(\.isSearchable)))
    public var search: String?
    @Option(
        parsing: .unconditional,
        help: Content.help("The order; -FIELD descends. FIELD is", Content.fields.filter(\.isSortable)))
    public var sort: String?
    @OptionGroup public var limit: ListOptions
    @Flag(help: "Keep the list on the screen and up to date, until it is interrupted (exit code 130).")
    public var follow = false

    public init() {}

    /// With one entity more than a table shows, which tells whether there are more.
    public func query(_ console: Console) -> EntityQuery<Content> {
        let order = sort.map { EntityQuery<Content>.Sort($0) }.map {
            EntityQuery<Content>.Sort($0.field.replacing("-", with: "_"), isDescending: $0.isDescending)
        }
        return EntityQuery(
            filters: filters.values, lowerBounds: lowerBounds.values, search: search, sort: order,
            limit: limit.rowsToRead(console))
    }

    /// The time limit of the command: a list that is followed has none.
    public func timeLimit(_ options: GlobalOptions) -> Duration? { follow ? nil : options.deadline }

    /// Said instead of a table in which nothing matches.
    public var noMatch: String {
        "No \(Content.plural) are like this; '\(ProgramName.current) \(Content.commandName) list' shows all."
    }
}

extension Entity {
    /// The help of an option about `fields`; the option is hidden where there are none.
    fileprivate static func help(_ text: String, _ fields: [EntityField<Self>]) -> ArgumentHelp {
        let names = fields.map { $0.name.replacing("_", with: "-") }
        return ArgumentHelp(
            "\(text) \(names.joined(separator: ", ")).", visibility: names.isEmpty ? .private : .default)
    }
}
