public import StrataDomain
import StrataSystem

extension UnsentReason {
    /// One or two sentences: what is stored, why it waits, and the next step.
    public var sentence: String {
        let program = ProgramName.current
        return switch self {
        case .notLoggedIn(let owner?):
            "Stored here with the writes of '\(owner)'. Not logged in: it is sent after '\(program) login --username "
                + "\(owner)'."
        case .notLoggedIn(nil): "Stored here. Not logged in: it is sent after '\(program) login'."
        case .loggedInAt(let server):
            "Stored here. This profile is logged in at \(server): '\(program) sync --server \(server)' sends it."
        case .offline: "Stored here and queued, because of --offline. '\(program) sync' sends it."
        case .backlog(let count):
            "Stored here and queued behind \(count == 1 ? "1 other" : "\(count) or more others"). '\(program) sync' sends "
                + "them all."
        case .anotherRun:
            "Stored here and queued. Another process synchronises this profile now; it or the next '\(program) sync' sends it."
        case .slow: "Stored here and queued. The server takes its time; '\(program) sync' sends it."
        case .notTaken: "Stored here and queued. The server has not taken it yet; '\(program) outbox list' shows why."
        case .failed(let error): Self.sentence(error, program)
        }
    }

    private static func sentence(_ error: DomainError, _ program: String) -> String {
        switch error {
        case .unauthorized(let text):
            "Stored here. The session has ended (\(text)): '\(program) login', and the next sync sends it."
        case .unavailable(let text), .busy(let text, _):
            "Stored here and queued. It could not be sent now (\(text)); '\(program) sync' sends it once the server answers."
        case .storage(let text): "Stored here, but it cannot be sent. \(text)"
        case .forbidden(let text), .conflict(let text), .notFound(let text), .validation(let text, _):
            "Stored here and queued. It was not accepted (\(text)); '\(program) sync' tries again."
        case .cancelled: "Stored here and queued; '\(program) sync' sends it."
        case .unexpected(let text):
            "Stored here and queued. Sending it failed (\(text)); '\(program) sync' tries again."
        }
    }
}
