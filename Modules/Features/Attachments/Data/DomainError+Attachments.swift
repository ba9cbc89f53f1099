import AttachmentsDomain
import StrataDomain

extension DomainError {
    /// Failures of attachment calls, with the next step; the one place where they leave the network's words.
    ///
    /// - Parameter missing: What a 404 means.
    static func attachments(_ error: NetworkError, missing: String) -> DomainError {
        let said = error.problem?.detail
        return switch error.kind {
        case .unauthorized: .unauthorized("Not logged in; run 'shiftlog login'.")
        case .forbidden: .forbidden(said ?? "This account is not allowed to do that; ask an administrator.")
        case .notFound: .notFound(missing)
        case .conflict: .conflict(said ?? error.sentence(""))
        case .validation(let problem): .validation(said ?? "The server rejected it.", fields: problem?.errors ?? [])
        case .offline, .connectionLost:
            .unavailable(error.sentence("Check --server and the network, then run it again."))
        case .timeout:
            .busy(error.sentence("Run it again, with a longer --timeout if you gave one."))
        case .rateLimited(let wait): .busy("The server asks to wait; run it again later.", retryAfter: wait)
        default: DomainError(error)
        }
    }

    /// - Parameter isKept: Whether the next run goes on with what has arrived.
    static func upload<Parent: Entity>(
        _ error: NetworkError, of file: LocalFile, to parent: Identifier<Parent>, isKept: Bool = false
    ) -> DomainError {
        switch error.kind {
        case .offline where isKept, .connectionLost where isKept, .circuitOpen where isKept:
            .unavailable(error.sentence(goOn))
        case .timeout where isKept: .busy(error.sentence(goOn))
        case .validation(let problem) where problem?.code == "digest_mismatch":
            .conflict(
                "'\(file.path)' changed while it was sent, and nothing was attached. Attach the file again when nothing "
                    + "writes to it any more.")
        case .status(413, let problem):
            .validation(
                "'\(file.path)' has \(file.size) bytes, more than the server takes. "
                    + (problem?.detail ?? "Compress or split it."))
        // Readable when it was measured, and not any more.
        case .storage(let why): .notFound(why)
        case .conflict(let problem) where problem?.code == "idempotency_in_flight":
            .busy(
                "'\(file.path)' is being sent to this \(AttachmentNames<Parent>.word) by another process; run it again when that has "
                    + "ended.")
        default: .attachments(error, missing: RemoteAttachmentRepository<Parent>.missing(parent))
        }
    }

    private static let goOn = "What arrived is kept; run it again to go on from there."

    static func download<Parent: Entity>(
        _ error: NetworkError, of attachment: Attachment<Parent>, to path: String
    ) -> DomainError {
        switch error.kind {
        case .offline, .connectionLost: .unavailable(error.sentence(goOn))
        case .timeout: .busy(error.sentence(goOn))
        case .storage(let why): .storage("'\(path)' cannot be written: \(why)")
        default: .attachments(error, missing: RemoteAttachmentRepository<Parent>.missing(attachment.id))
        }
    }
}
