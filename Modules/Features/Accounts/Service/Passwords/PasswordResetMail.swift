import AccountsDomain
import FoundationEssentials
import StrataDomain
package import StrataService

/// The mail of a reset as a job. Its row has no token and no address: both are read when the mail is written.
struct PasswordResetMail: BackgroundJob, Hashable {
    static let kind = "password-reset-mail"

    /// The account; `nil` when there was none with an address. Then the job does nothing, and the request took the same time.
    var userId: String?
}

extension AccountsService {
    /// The jobs of the feature, for the list of the service.
    ///
    /// - Parameter mailer: Sends the links that reset a password.
    /// - Returns: None while passwords are not reset by mail.
    package func jobs(_ mailer: any Mailer) -> [JobHandler] {
        guard let mailFrom else { return [] }
        return [
            JobHandler(PasswordResetMail.self) { job, run in
                try await send(job, run, from: mailFrom, by: mailer)
            }
        ]
    }

    private func send(
        _ job: PasswordResetMail, _ run: JobRun, from sender: MailAddress, by mailer: any Mailer
    ) async throws {
        let now = clock.now
        // Its user has stopped waiting for a mail that comes later than its link would have lived.
        guard let id = job.userId, now.timeIntervalSince(run.enqueuedAt) < PasswordResetTable.lifetime else { return }
        let token = OpaqueToken.make(prefix: "slp_")
        guard let hash = OpaqueToken.digest(token.reveal()) else { throw StoreError.failed("a new token is too long") }
        let found = try await store.write { transaction -> User? in
            guard let user = try UserTable.user(User.ID(id), in: transaction), user.email != nil else { return nil }
            try PasswordResetTable.store(hash, of: user.id, at: now, in: transaction)
            return user
        }
        guard let user = found, let email = user.email else { return }
        let message: MailMessage
        do throws(MailError) {
            message = try MailMessage(
                from: sender, to: [MailAddress(email)], subject: "Reset your password for \(serviceName)",
                text: text(for: user, token))
        } catch {
            // The error may hold the address, and operators see what a job fails with.
            throw JobFailure.permanent("The account's address, or the name of the service, cannot be in a mail.")
        }
        // Each attempt has a token of its own, so its mail is another one.
        try await mailer.send(message, id: "\(run.id)-\(run.attempt)", at: now)
    }

    private func text(for user: User, _ token: Secret) -> String {
        """
        A new password was asked for, for the account '\(user.username)' at \(accessTokens.issuer).

        Open this link within \(Int(PasswordResetTable.lifetime / 60)) minutes, and choose a new password:

        \(accessTokens.issuer)\(ShowPasswordResetPage.route.template)?token=\(token.reveal())

        The link works once, and no longer after a newer one was sent. With the new password every session of the
        account ends, on all devices.

        If you did not ask for this, do nothing: your password stays as it is.

        """
    }
}
