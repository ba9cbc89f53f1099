import ArgumentParser
import StrataDomain

struct NewSecretCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-secret", abstract: "Write a new value for SHIFTLOG_SIGNING_SECRET to standard output.")

    func run(environment: [String: String]) async throws { StandardStreams.output(SigningSecret.new().reveal()) }
}
