public import StrataDomain

/// A mail as a job: handed to the mail system after the write that causes it has committed, again after failures.
///
/// ```swift
/// try transaction.enqueue(SendMail(message), at: now)
/// // in the list of jobs:
/// SendMail.handler(SendmailMailer())
/// ```
public struct SendMail: BackgroundJob, Hashable {
    public static let kind = "mail"

    /// What is sent.
    public let message: MailMessage

    /// The job that sends a message.
    public init(_ message: MailMessage) { self.message = message }

    /// The row in the list of jobs.
    public static func handler(
        _ mailer: any Mailer, policy: JobPolicy = .standard, wallClock: any WallClock = SystemWallClock()
    ) -> JobHandler {
        JobHandler(SendMail.self, policy: policy) { job, run in
            try await mailer.send(job.message, id: run.id, at: wallClock.now)
        }
    }
}
