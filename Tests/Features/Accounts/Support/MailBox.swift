import FoundationEssentials
import StrataConcurrency
import StrataDomain
import StrataTesting

@testable import AccountsService
@testable import StrataService

/// A mailer that keeps what it is given, and fails on demand.
final class MailBox: Mailer {
    /// What the mail system would get.
    struct Mail: Sendable {
        var id: String
        var message: MailMessage
        var bytes: Data

        /// The header fields.
        var head: String { String(decoding: bytes, as: UTF8.self).components(separatedBy: "\n\n")[0] }

        /// The token of the link.
        var token: String? {
            message.text.firstMatch(of: /https:\/\/shiftlog\.example\/password-reset\?token=(slp_[A-Za-z0-9_-]{43})\n/)
                .map { String($0.1) }
        }
    }

    private let state = Mutex<(mails: [Mail], isBroken: Bool)>(([], false))

    var mails: [Mail] { state.withLock { $0.mails } }
    /// The token in the last mail.
    var token: String? { mails.last?.token }

    /// Takes each mail and reports a failure, as a mail system whose answer is lost.
    func setBroken(_ isBroken: Bool) { state.withLock { $0.isBroken = isBroken } }

    func send(_ message: MailMessage, id: String, at now: Date) async throws {
        let isBroken = state.withLock { state in
            state.mails.append(Mail(id: id, message: message, bytes: message.bytes(id: id, at: now)))
            return state.isBroken
        }
        if isBroken { throw JobFailure.retry(after: .zero, "The answer was lost.") }
    }
}

extension AccountsBackend {
    /// Does the jobs that are due.
    func sendMails(to box: MailBox) async throws {
        let runner = try JobRunner(
            accounts.jobs(box), store: store, signal: CommitSignal(), timers: TimerQueue(ManualClock()),
            wallClock: clock, random: { 0.5 }, logger: log.logger())
        try await eventually("no mail is due, and every attempt has ended") {
            let wait = try await runner.look()
            let tasks = runner.attempts.withLock { $0.values.map(\.task) }
            for task in tasks { await task.value }
            return wait > .zero && tasks.isEmpty
        }
    }

    /// Gives an account an address.
    func setAddress(_ email: String?, of username: String = "ada") async throws {
        _ = try await store.write { transaction in
            try transaction.execute("UPDATE app_user SET email = \(email) WHERE username = \(username)")
        }
    }
}
