package import ArgumentParser
import SpecimensDomain
import StrataDomain
import StrataTerminal

/// `specimens`. Add commands of your own to the list.
package struct SpecimensGroup: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: Specimen.path, abstract: "Read and write specimens.", subcommands: Specimen.commands)

    package init() {}
}
