public import ArgumentParser
public import StrataDomain

/// Which entities a list or an export has, and their order: `--level high --search disk --sort -text`.
public struct EntitySelection<Content: Entity>: ParsableArguments, Sendable {
    /// Values that the entities must have.
    @OptionGroup(title: "Filters") public var filters: EntityOptions<Content, FilterValues>
    /// Values below which entities are left out.
    @OptionGroup(title: "Filters") public var lowerBounds: EntityOptions<Content, LowerBounds>
    /// `--search`: a text that the entities must have.
    @Option(help: Content.help("Only those with this text, in", Content.fields.filter(\.isSearchable)))
    public var search: String?
    /// `--sort`: the field of the order; with `-` before it, large values first.
    @Option(
        parsing: .unconditional,
        help: Content.help("The order; -FIELD descends. FIELD is", Content.fields.filter(\.isSortable)))
    public var sort: String?

    public init() {}

    /// - Parameter limit: The most entities. `nil`: all.
    public func query(limit: Int?) -> EntityQuery<Content> {
        let order = sort.map { EntityQuery<Content>.Sort($0) }.map {
            EntityQuery<Content>.Sort($0.field.replacing("-", with: "_"), isDescending: $0.isDescending)
        }
        return EntityQuery(
            filters: filters.values, lowerBounds: lowerBounds.values, search: search, sort: order, limit: limit)
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
