public import FoundationEssentials

/// The errors that features and users see. Every text names the value and the next step, and no secret.
public enum DomainError: Error, Sendable, Hashable {
    /// Not logged in, or the session has ended.
    case unauthorized(String)
    /// The user may not do this.
    case forbidden(String)
    /// There is no such entity, or none that the user may see.
    case notFound(String)
    /// Rejected input.
    case validation(String, fields: [FieldError] = [])
    /// The entity was changed by another client.
    case conflict(String)
    /// The server is unreachable, and no stored value can be used.
    case unavailable(String)
    /// Timed out or overloaded; a later call may succeed.
    case busy(String, retryAfter: Duration? = nil)
    /// The local disk or database cannot be written or read.
    case storage(String)
    /// The call was cancelled.
    case cancelled
    /// A bug, here or on the server.
    case unexpected(String)
}

extension DomainError {
    /// Which error it is, without its text: to compare and to count.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The case of the error with the same name.
        case unauthorized, forbidden, notFound, validation, conflict, unavailable, busy, storage, cancelled, unexpected
    }

    /// Which error it is.
    public var kind: Kind {
        switch self {
        case .unauthorized: .unauthorized
        case .forbidden: .forbidden
        case .notFound: .notFound
        case .validation: .validation
        case .conflict: .conflict
        case .unavailable: .unavailable
        case .busy: .busy
        case .storage: .storage
        case .cancelled: .cancelled
        case .unexpected: .unexpected
        }
    }

    /// Whether the server could not be asked or could not answer, so that a stored value may stand in.
    public var isOutage: Bool { kind == .unavailable || kind == .busy }
}

extension DomainError: LocalizedError {
    /// The text, also `localizedDescription`.
    public var errorDescription: String? { description }
}

extension DomainError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unauthorized(let text), .forbidden(let text), .notFound(let text), .conflict(let text),
            .unavailable(let text), .busy(let text, _), .storage(let text), .unexpected(let text):
            text
        case .validation(let text, let fields):
            ([text] + fields.map { "  \($0.field): \($0.message)" }).joined(separator: "\n")
        case .cancelled: "Cancelled."
        }
    }
}

extension DomainError {
    /// The only translation of network errors to domain errors. It leaves out method and path, which a user did
    /// not write. A domain error that the caller's own code threw inside of the call comes back as itself.
    public init(_ error: NetworkError) {
        if let thrown = error.underlying as? DomainError {
            self = thrown
            return
        }
        let text = error.readableReason
        switch error.kind {
        case .invalidRequest: self = .validation(text)
        case .offline, .connectionLost, .tls, .circuitOpen: self = .unavailable(text)
        case .timeout: self = .busy(text)
        case .rateLimited(let wait): self = .busy(text, retryAfter: wait)
        case .unauthorized: self = .unauthorized(text)
        case .forbidden: self = .forbidden(text)
        case .notFound: self = .notFound(text)
        case .conflict: self = .conflict(text)
        case .validation(let problem): self = .validation(text, fields: problem?.errors ?? [])
        case .status(let status, _): self = [408, 425].contains(status) ? .busy(text) : .validation(text)
        case .server(503, _) where error.retryAfter != nil: self = .busy(text, retryAfter: error.retryAfter)
        case .server: self = .unavailable(text)
        case .invalidResponse where error.isFromRefresh || error.isForeign: self = .unavailable(text)
        case .decoding: self = .validation("\(text) \(Self.perhapsForeign)")
        case .invalidResponse: self = .validation(text)
        case .unexpected: self = .unexpected(text)
        case .storage: self = .storage(text)
        case .cancelled: self = .cancelled
        }
    }

    /// The likely reason of a body that is JSON by its type only, with the next step.
    private static let perhapsForeign =
        "A proxy or the login page of a network may have answered instead of the server; open a page in a browser, then try again."

    /// Any error as a domain error; an unknown one is `.unexpected` with its text.
    public init(_ error: any Error) {
        switch error {
        case let error as DomainError: self = error
        case let error as NetworkError: self.init(error)
        case is CancellationError: self = .cancelled
        default: self = .unexpected(String(describing: error))
        }
    }
}
