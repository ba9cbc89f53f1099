import StrataConcurrency
import StrataDomain

/// Slows down password guesses: counts failed logins in a window that starts with the first of them.
///
/// Three counts together keep an attacker from locking out a user and from guessing without a limit:
/// - a name from one address: `failures`, then 429 until the window ends;
/// - one address over all names: ten times as many;
/// - a name over all addresses: after ten times as many, each further address has a third of `failures`. The user can
///   still log in from an address without failures.
///
/// In addition each name has a rate from each address, whatever the outcome, because checking a correct password costs as
/// much as checking a wrong one.
///
/// Counts live in memory and are bounded; the least recently used are dropped first.
public final class LoginThrottle: Sendable {
    private struct State {
        var failures: FailureTable
        var rates: LRUTable<TokenBucket>
    }

    private let limit: Int
    private let attempts: RateLimit
    private let timers: TimerQueue
    private let state: Mutex<State>

    /// - Parameters:
    ///   - failures: Failed logins of a name from one address within the window, 1 or more. Default 10.
    ///   - window: Default 15 minutes.
    ///   - attempts: Logins of a name from one address. Default: 60 at once, and 4 a second.
    ///   - capacity: Counts to keep, and rates. Default 100,000, some 20 MB.
    ///   - clock: Measures the window and the rate.
    public init(
        failures: Int = 10, window: Duration = .seconds(900),
        attempts: RateLimit = RateLimit(burst: 60, perSecond: 4), capacity: Int = 100_000,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        limit = max(1, failures)
        self.attempts = attempts
        timers = TimerQueue(clock)
        state = Mutex(
            State(
                failures: FailureTable(window: window, capacity: capacity), rates: LRUTable(capacity: capacity)))
    }

    /// Counts an attempt, or refuses it before its password is checked.
    ///
    /// - Throws: 429 with `Retry-After`.
    public func check(username: String, peer: String) throws(ServiceError) {
        let keys = Keys(username, peer)
        let refusal = state.withLock { state -> ServiceError? in
            let now = timers.now
            if let wait = pause(keys, in: &state.failures, at: now) { return .tooManyFailedLogins(retryAfter: wait) }
            var bucket = state.rates[keys.pair] ?? TokenBucket()
            defer { state.rates[keys.pair] = bucket }
            return bucket.take(attempts, at: now).wait.map { .tooManyLogins(retryAfter: $0) }
        }
        if let refusal { throw refusal }
    }

    /// Records the outcome of an attempt. Of simultaneous attempts, only as many learn their outcome as would have one
    /// after the other.
    ///
    /// - Throws: 429 with `Retry-After`, also for a correct password.
    public func settle(username: String, peer: String, succeeded: Bool) throws(ServiceError) {
        let keys = Keys(username, peer)
        let wait = state.withLock { state -> Duration? in
            let now = timers.now
            if let wait = pause(keys, in: &state.failures, at: now) { return wait }
            if succeeded {
                state.failures.remove(keys.pair)
            } else {
                for key in [keys.pair, keys.peer, keys.name] { state.failures.add(key, at: now) }
            }
            return nil
        }
        if let wait { throw .tooManyFailedLogins(retryAfter: wait) }
    }

    /// How long this attempt must wait; `nil` for not at all.
    private func pause(_ keys: Keys, in table: inout FailureTable, at now: Duration) -> Duration? {
        let pair = table.failures(keys.pair, at: now)
        let peer = table.failures(keys.peer, at: now)
        let name = table.failures(keys.name, at: now)
        if pair.count >= (name.count >= limit * 10 ? max(1, limit / 3) : limit) { return pair.remaining }
        return peer.count >= limit * 10 ? peer.remaining : nil
    }

    private struct Keys {
        let pair: Int
        let peer: Int
        let name: Int

        init(_ username: String, _ peer: String) {
            let network = ClientNetwork.key(peer)
            pair = LRUTable<TokenBucket>.key("pair", username, network)
            self.peer = LRUTable<TokenBucket>.key("peer", network)
            name = LRUTable<TokenBucket>.key("name", username)
        }
    }
}

extension ServiceError {
    fileprivate static func tooManyFailedLogins(retryAfter wait: Duration) -> ServiceError {
        tooManyLogins("Too many failed logins", "Too many logins failed", wait)
    }

    fileprivate static func tooManyLogins(retryAfter wait: Duration) -> ServiceError {
        tooManyLogins("Too many logins", "This account logs in too often from this address", wait)
    }

    private static func tooManyLogins(_ title: String, _ reason: String, _ wait: Duration) -> ServiceError {
        let seconds = wait.retryAfterSeconds
        return ServiceError(
            429, code: "too_many_logins", title: title, detail: "\(reason); wait \(seconds) seconds, then try again.",
            headers: ["Retry-After": String(seconds)])
    }
}
