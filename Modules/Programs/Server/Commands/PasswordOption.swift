import ArgumentParser
import StrataDomain

/// A password from standard input; as an argument, other users would see it in the process list.
struct PasswordOption: ParsableArguments {
    @Flag(help: "Read the password from the first line of standard input.") var passwordStdin = false

    func validate() throws {
        guard passwordStdin else {
            throw ValidationError("The password is read from standard input; add --password-stdin and pipe it in.")
        }
    }

    /// - Throws: `Failure` for an unreadable, empty or malformed line.
    func read() throws(Failure) -> Secret {
        let line: String?
        do { line = try StandardStreams.inputLine() } catch {
            throw Failure("Standard input cannot be read: \(error); pipe the password in.", Failure.rejected)
        }
        guard let password = line else {
            throw Failure("The password must be one line of UTF-8 text.", Failure.rejected)
        }
        guard !password.isEmpty else {
            throw Failure("Standard input holds no password; pipe one line in.", Failure.rejected)
        }
        return Secret(password)
    }
}
