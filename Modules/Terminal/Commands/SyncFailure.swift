import StrataDomain

extension DomainError {
    /// The failure of a synchronisation, with the number of waiting entries, that they are safe, and the next step.
    ///
    /// - Parameter waiting: Number of unsent entries.
    func ofSync(waiting: Int) -> DomainError {
        let program = ProgramName.current
        let safe =
            switch waiting {
            case ..<1: "Nothing waits to be sent."
            case 1: "1 entry waits to be sent; it is safe here."
            default: "\(waiting) entries wait to be sent; they are safe here."
            }
        let again = "Run '\(program) sync' again"
        return switch self {
        case .unauthorized(let text):
            .unauthorized(
                "\(Self.sentence(text)) \(safe) Run '\(program) login', then '\(program) sync'.")
        case .unavailable(let text):
            .unavailable(
                "\(Self.sentence(text)) \(safe) \(again) when the server can be reached; '\(program) status' tells.")
        case .busy(let text, let wait):
            .busy("\(Self.sentence(text)) \(safe) \(again) in a while.", retryAfter: wait)
        case .forbidden(let text): .forbidden("\(Self.sentence(text)) \(safe)")
        case .notFound(let text): .notFound("\(Self.sentence(text)) \(safe) Check --server.")
        case .validation(let text, let fields): .validation("\(Self.sentence(text)) \(safe)", fields: fields)
        case .conflict(let text): .conflict("\(Self.sentence(text)) \(safe)")
        case .storage(let text): .storage("\(Self.sentence(text)) \(safe)")
        case .unexpected(let text): .unexpected("\(Self.sentence(text)) \(safe)")
        case .cancelled: self
        }
    }

    /// `text` with a capital first letter and a full stop.
    private static func sentence(_ text: String) -> String {
        let capital = text.prefix(1).uppercased() + text.dropFirst()
        return capital.last.map { ".!?".contains($0) } ?? true ? capital : capital + "."
    }
}
