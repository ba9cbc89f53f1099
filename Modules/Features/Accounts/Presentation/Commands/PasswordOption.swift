import ArgumentParser
import StrataDomain
import StrataTerminal

/// `--password-stdin`. There is no option that takes a password itself: other users see arguments in the process list.
struct PasswordOption: ParsableArguments {
    @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input.")
    var fromInput = false

    /// The password of an account that exists.
    func password(_ console: Console) async throws -> Secret {
        if fromInput { return try await console.passwordFromInput() }
        try checkTerminal(console)
        return try await console.input.line(prompt: "Password: ", isHidden: true)
    }

    /// A password that is set now, typed twice when a person types it.
    func newPassword(_ console: Console) async throws -> Secret {
        if fromInput { return try await console.passwordFromInput() }
        try checkTerminal(console)
        let first = try await console.input.line(prompt: "New password: ", isHidden: true)
        let second = try await console.input.line(prompt: "Once more: ", isHidden: true)
        guard first == second else { throw DomainError.validation("The two passwords differ; nothing was changed.") }
        return first
    }

    private func checkTerminal(_ console: Console) throws {
        guard console.input.isTerminal else {
            throw CommandFailure(
                .usage,
                "There is no terminal to ask for the password on. Give it on standard input with --password-stdin.")
        }
    }
}
