import StrataConcurrency

/// What follows a failed attempt; pure.
enum JobDecision: Sendable, Hashable {
    case retry(after: Duration)
    case setAside

    /// - Parameters:
    ///   - failures: Failed attempts, this one included.
    ///   - random: The jitter, from 0 up to 1.
    init(after error: any Error, failures: Int, _ policy: JobPolicy, random: Double) {
        let failure = error as? JobFailure
        if case .permanent = failure {
            self = .setAside
        } else if failures >= policy.attempts {
            self = .setAside
        } else {
            let wait = policy.backoff.wait(after: failures, random: random)
            if case .retry(let asked, _) = failure {
                self = .retry(after: max(wait, min(max(asked, .zero), .seconds(86_400))))
            } else {
                self = .retry(after: wait)
            }
        }
    }

    /// The reason as it is stored: at most 1,000 characters, without NUL.
    static func reason(of error: any Error) -> String {
        String("\(error)".prefix(1_000)).replacing("\0", with: "")
    }
}
