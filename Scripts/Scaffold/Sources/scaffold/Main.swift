import ArgumentParser
import ScaffoldKit

/// `scaffold`: what Scripts/new-feature and its siblings run.
@main struct Scaffold: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scaffold", abstract: "Adds features to this repository, and takes them out again.",
        subcommands: [
            // scaffold:only Template
            NewServiceCommand.self
                // scaffold:end-only
        ])
}
