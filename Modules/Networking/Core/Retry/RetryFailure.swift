import FoundationEssentials
import StrataDomain

/// What an attempt met, as far as repeating it is concerned.
public enum RetryFailure: Sendable, Hashable {
    /// Provably nothing reached the server.
    case unsent
    /// The request may have taken effect.
    case ambiguous
    /// The server answered with a failure, perhaps with the wait it asks for.
    case status(Int, retryAfter: Duration?)
    /// Repeating cannot help.
    case permanent

    /// What `error` means for a repetition; permanent for anything but a `NetworkError`.
    public init(_ error: any Error) {
        guard let error = error as? NetworkError else {
            self = .permanent
            return
        }
        self =
            switch error.kind {
            case .offline: .unsent
            case .connectionLost, .timeout: .ambiguous
            case .rateLimited(let wait): .status(429, retryAfter: wait)
            case .status(let status, _), .server(let status, _): .status(status, retryAfter: nil)
            default: .permanent
            }
    }

    /// A 403 that refuses one request too many is judged as a 429.
    ///
    /// - Returns: `nil` for a status below 400.
    init?(_ head: ResponseHead, now: @autoclosure () -> Date) {
        guard head.status >= 400 else { return nil }
        let now = now()
        self = .status(head.isRateLimited(now: now) ? 429 : head.status, retryAfter: head.wait(now: now))
    }
}
