import StrataDomain
import StrataService
import Testing

@testable import StrataServerProgram

@Suite(.shiftlog) struct `Signing secrets` {
    @Test func `production refuses to start without one and names new-secret`() {
        let error = #expect(throws: SettingsError.self) { try SigningSecret.resolve(nil, in: .production) }
        #expect(error?.description.contains("shiftlog-server new-secret") == true)
    }

    @Test func `development generates a secret for the run`() throws {
        let first = try SigningSecret.resolve(nil, in: .development)
        let second = try SigningSecret.resolve(nil, in: .development)
        #expect(first.isEphemeral)
        #expect(first.secret.reveal() != second.secret.reveal())
    }

    @Test(arguments: [Settings.Environment.production, .development])
    func `a secret that can be guessed is refused and not repeated`(environment: Settings.Environment) {
        let text = "changeme-changeme-changeme-changeme-changeme!"
        let error = #expect(throws: SettingsError.self) {
            try SigningSecret.resolve(Secret(text), in: environment)
        }
        #expect(error?.description.contains(text) == false)
        #expect(error?.description.contains("new-secret") == true)
        #expect(error?.description.contains("placeholder") == true)
    }

    @Test func `a new one is accepted, and no two are equal`() throws {
        let secrets = (0..<100).map { _ in SigningSecret.new() }
        for secret in secrets { #expect(try SigningSecret.resolve(secret, in: .production).isEphemeral == false) }
        #expect(Set(secrets.map { $0.reveal() }).count == 100)
    }
}
