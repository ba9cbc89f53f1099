import ArgumentParser
import StrataDomain
import StrataService

struct NewSecretCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-secret", abstract: "Print a new value for SHIFTLOG_SIGNING_SECRET.")

    func run(environment: [String: String]) async throws { StandardStreams.output(SigningSecret.new().reveal()) }
}
