public import FoundationEssentials
import StrataSystem

/// Hands mails to whatever delivers them.
public protocol Mailer: Sendable {
    /// Returns when another program has taken the responsibility for the mail.
    ///
    /// - Parameter id: Unique; the same for each attempt.
    func send(_ message: MailMessage, id: String, at now: Date) async throws
}

/// Hands mails to the mail system of the machine, by its program `sendmail`, which every one of them has.
public struct SendmailMailer: Mailer {
    private let program: Program

    /// - Parameter path: Default `/usr/sbin/sendmail`.
    public init(path: String = "/usr/sbin/sendmail") {
        program = Program(path: path, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"])
    }

    /// - Throws: `JobFailure`; `.permanent` for a recipient that the mail system does not know.
    public func send(_ message: MailMessage, id: String, at now: Date) async throws {
        // Recipients are arguments and not read from the message; -i lets a line with one dot not end it.
        let arguments = ["-i", "-f", "\(message.from)", "--"] + message.to.map(\.description)
        let output: Program.Output
        do throws(Program.Failure) {
            output = try await program.run(arguments, input: message.bytes(id: id, at: now), within: .seconds(60))
        } catch .cancelled {
            throw CancellationError()
        } catch {
            throw JobFailure.retry(after: .zero, "'\(program.path)' did not take the mail: \(error).")
        }
        switch output.status {
        case 0: return
        // EX_NOUSER and EX_NOHOST of sysexits.h.
        case 67, 68: throw JobFailure.permanent("The mail system does not know a recipient (\(output.status)).")
        default: throw JobFailure.retry(after: .zero, "'\(program.path)' ended with status \(output.status).")
        }
    }
}

/// Writes each mail into a file, `ID.eml` in a directory: for tests, and for a service on the machine of its developer.
public struct FileMailer: Mailer {
    private let directory: String

    /// - Parameter directory: Exists.
    public init(directory: String) { self.directory = directory }

    public func send(_ message: MailMessage, id: String, at now: Date) async throws {
        let (path, bytes) = ("\(directory)/\(id).eml", message.bytes(id: id, at: now))
        try await runBlocking { try bytes.write(to: URL(filePath: path), options: .atomic) }
    }
}
