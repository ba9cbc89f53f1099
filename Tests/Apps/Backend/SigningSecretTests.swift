import StrataDomain
import Testing

@testable import shiftlog_server

@Suite struct `Signing secrets` {
    @Test func `production refuses to start without one and says what writes one`() {
        let error = #expect(throws: SettingsError.self) { try SigningSecret.resolve(nil, in: .production) }
        #expect(error?.description.contains("shiftlog-server new-secret") == true)
    }

    @Test func `development makes one up for the run`() throws {
        let first = try SigningSecret.resolve(nil, in: .development)
        let second = try SigningSecret.resolve(nil, in: .development)
        #expect(first.isEphemeral)
        #expect(first.secret.reveal() != second.secret.reveal())
    }

    @Test(
        arguments: [
            "short", "0123456789012345678901234567890", "changeme-changeme-changeme-changeme-changeme",
            "change-me-to-something-long-and-random-please", "secretsecretsecretsecretsecretsecret",
            "my-secret-password-secret-password-key", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "abababababababababababababababababababab", "CHANGE_ME_CHANGE_ME_CHANGE_ME_CHANGE_ME",
            "shiftlog-default-signing-secret-key!",
        ], [Settings.Environment.production, .development])
    func `one that can be guessed is refused and never repeated`(text: String, environment: Settings.Environment) {
        let error = #expect(throws: SettingsError.self) {
            try SigningSecret.resolve(Secret(text), in: environment)
        }
        #expect(error?.description.contains(text) == false)
        #expect(error?.description.contains("new-secret") == true)
    }

    @Test func `a new one is accepted, and no two are equal`() throws {
        let secrets = (0..<100).map { _ in SigningSecret.new() }
        for secret in secrets { #expect(try SigningSecret.resolve(secret, in: .production).isEphemeral == false) }
        #expect(Set(secrets.map { $0.reveal() }).count == 100)
    }

    @Test(arguments: ["correct horse battery staple wins again", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"])
    func `another long one is accepted`(text: String) throws {
        #expect(try SigningSecret.resolve(Secret(text), in: .production).secret.reveal() == text)
    }
}
