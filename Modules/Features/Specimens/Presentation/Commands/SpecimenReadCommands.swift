package import ArgumentParser
package import SpecimensDomain
package import StrataDomain
package import StrataTerminal

/// `specimens list [--refresh]`.
package struct SpecimenListCommand: SpecimensCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List specimens, newest first.",
        discussion: "Example: \(ProgramName.current) specimens list --limit 200")

    @OptionGroup var reading: ReadingOption
    @OptionGroup package var limit: ListLimit
    @OptionGroup package var options: GlobalOptions

    package init() {}
    package func validate() throws { try reading.check(options) }

    package func run(_ specimens: Specimens, _ console: Console) async throws {
        let model = await SpecimenListModel(specimens)
        await model.load(reading.policy(options))
        guard let snapshot = await model.snapshot else { throw await model.error ?? DomainError.cancelled }
        try console.list(
            snapshot, limit: limit.rows(console), empty: "There are no specimens yet; 'specimens add' adds one.")
    }
}

/// `specimens show ID [--refresh]`.
package struct SpecimenShowCommand: SpecimensCommand {
    package static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a specimen.",
        discussion: "Example: \(ProgramName.current) specimens show 9f2c41d")

    @Argument(help: "From 'specimens list'.")
    package var id: Specimen.ID
    @OptionGroup var reading: ReadingOption
    @OptionGroup package var options: GlobalOptions

    package init() {}
    package func validate() throws { try reading.check(options) }

    package func run(_ specimens: Specimens, _ console: Console) async throws {
        try console.show(try await specimens.show(specimens.completed(id), reading.policy(options)))
    }
}

extension Specimens {
    /// The specimen that a person meant by a part of its id.
    func completed(_ id: Specimen.ID) async throws -> Specimen.ID {
        try await id.completed { _ in try await list().value.map(\.id) }
    }
}

extension Specimen.HomeTerrain: ExpressibleByArgument {}
extension Specimen.MainDiet: ExpressibleByArgument {}
