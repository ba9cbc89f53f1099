import StrataDomain

/// The one refresh that is under way, and those who wait for it.
struct RefreshFlight {
    typealias Answer = Result<SessionTokens, NetworkError>

    let number: Int
    /// Does the work; belongs to no waiter.
    let work: Task<Void, Never>
    /// Ends the flight when it takes too long.
    let deadline: Task<Void, Never>
    var waiters: [Int: CheckedContinuation<Answer, Never>] = [:]

    /// Answers everybody who waits.
    func settle(_ answer: Answer) {
        deadline.cancel()
        for waiter in waiters.values { waiter.resume(returning: answer) }
    }
}
