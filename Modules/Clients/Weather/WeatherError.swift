import FoundationEssentials
import StrataDomain

/// Why a call failed, in the cases that callers distinguish.
package enum WeatherError: Error, Sendable, Equatable {
    case notFound
    /// The credential is wrong or has expired.
    case refused
    /// The rate limit is reached; the wait is `nil` if the server names none.
    case busy(Duration?)
    case unavailable(String)
    case cancelled

    init(_ error: NetworkError) {
        self =
            switch error.kind {
            case .notFound: .notFound
            case .unauthorized, .forbidden: .refused
            case .rateLimited(let wait): .busy(wait)
            case .cancelled: .cancelled
            default: .unavailable(error.description)
            }
    }
}

extension WeatherError: LocalizedError {
    /// A sentence for a person, also `localizedDescription`.
    package var errorDescription: String? {
        switch self {
        case .notFound: "Weather does not have it."
        case .refused: "Weather refuses the credential; use a new one."
        case .busy(let wait): "Weather is busy; try again \(wait.map { "in \($0.components.seconds) s" } ?? "later")."
        case .unavailable(let reason): "Weather gave no answer: \(reason)."
        case .cancelled: "Cancelled."
        }
    }
}
