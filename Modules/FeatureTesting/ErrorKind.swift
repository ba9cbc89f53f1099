public import StrataDomain

/// Which case an error of the domain is, whatever its text.
public enum ErrorKind: String, Sendable {
    case isConflict, isNotFound, isUnavailable, isValidation, isBusy, isOther

    public init(_ error: DomainError) {
        switch error {
        case .conflict: self = .isConflict
        case .notFound: self = .isNotFound
        case .unavailable: self = .isUnavailable
        case .validation: self = .isValidation
        case .busy: self = .isBusy
        default: self = .isOther
        }
    }

    /// What `call` failed with; `nil` when it succeeded.
    public static func ofFailure(_ call: () async throws(DomainError) -> Void) async -> ErrorKind? {
        do {
            try await call()
            return nil
        } catch {
            return ErrorKind(error)
        }
    }
}
