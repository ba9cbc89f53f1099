import StrataDomain

/// The refresh in flight, and its waiters.
struct RefreshFlight {
    typealias Answer = Result<SessionTokens, NetworkError>

    let number: Int
    /// Runs the refresh; the end of one waiter does not cancel it.
    let work: Task<Void, Never>
    /// Ends the flight at its deadline.
    let deadline: Task<Void, Never>
    var waiters: [Int: CheckedContinuation<Answer, Never>] = [:]

    /// Resumes all waiters.
    func settle(_ answer: Answer) {
        deadline.cancel()
        for waiter in waiters.values { waiter.resume(returning: answer) }
    }
}
