import StrataDomain
import StrataSystem

extension DomainError {
    /// The failure of a synchronisation, with the number of waiting entries, that they are safe, and the next step.
    ///
    /// - Parameter waiting: Number of unsent writes.
    func ofSync(waiting: Int) -> DomainError {
        let program = ProgramName.current
        let safe =
            switch waiting {
            case ..<1: "Nothing waits to be sent."
            case 1: "1 write waits to be sent; it is safe here."
            default: "\(waiting) writes wait to be sent; they are safe here."
            }
        func with(_ text: String, _ step: String? = nil) -> String {
            let reason = (text.prefix(1).uppercased() + text.dropFirst()).asSentence
            return [reason, safe, step].compactMap(\.self).joined(separator: " ")
        }
        return switch self {
        case .unauthorized(let text):
            .unauthorized(with(text, "Run '\(program) login', then '\(program) sync'."))
        case .unavailable(let text):
            .unavailable(
                with(text, "Run '\(program) sync' again when the server can be reached; '\(program) status' tells."))
        case .busy(let text, let wait): .busy(with(text, "Run '\(program) sync' again in a while."), retryAfter: wait)
        case .forbidden(let text): .forbidden(with(text))
        case .notFound(let text): .notFound(with(text, "Check --server."))
        case .validation(let text, let fields): .validation(with(text), fields: fields)
        case .conflict(let text): .conflict(with(text))
        case .storage(let text): .storage(with(text))
        case .unexpected(let text): .unexpected(with(text))
        case .cancelled: self
        }
    }
}
