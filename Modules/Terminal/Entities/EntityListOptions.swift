public import ArgumentParser
public import StrataDomain
import StrataSystem

/// Which entities a list has: `--level high --search disk --sort -text --limit 20`.
public struct EntityListOptions<Content: Entity>: ParsableArguments, Sendable {
    /// Which entities are listed.
    @OptionGroup public var selection: EntitySelection<Content>
    /// What every list takes.
    @OptionGroup public var common: ListOptions
    /// `--follow`: shows changes until it is interrupted.
    @Flag(help: "Keep the list on the screen and up to date, until it is interrupted (exit code 130).")
    public var follow = false

    public init() {}

    /// With one entity more than a table shows, which tells whether there are more.
    public func query(_ console: Console) -> EntityQuery<Content> {
        selection.query(limit: common.rowsToRead(console))
    }

    /// The time limit of the command: a list that is followed has none.
    public func timeLimit(_ options: GlobalOptions) -> Duration? { follow ? nil : options.deadline }

    /// Said instead of a table in which nothing matches.
    public var noMatch: String {
        "No \(Content.plural) are like this; '\(ProgramName.current) \(Content.commandName) list' shows all."
    }
}
