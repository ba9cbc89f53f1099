import ArgumentParser
import StrataDomain
import StrataTerminal

/// What the services of these tests store.
struct Buoy: Entity {
    static let noun = "buoy"
    static let collection = "buoys"
    static let fields: [EntityField<Buoy>] = [.init("name", \.name, .line(1...80))]
    var name: String
}

/// Its commands, as one group.
struct BuoysGroup: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "buoys", subcommands: Buoy.commands)
}
