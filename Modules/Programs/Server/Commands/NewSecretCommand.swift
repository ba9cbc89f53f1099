import ArgumentParser
import StrataDomain
import StrataService

struct NewSecretCommand: ServerCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "new-secret", abstract: "Print a new value for \(Setting.signingSecret.variable).")
    }

    func run(environment: [String: String]) async throws { try StandardStreams.output(SigningSecret.new().reveal()) }
}
