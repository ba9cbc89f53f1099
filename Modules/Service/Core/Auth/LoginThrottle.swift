import StrataConcurrency
import StrataDomain

/// Slows down guesses of passwords: counts failed sign-ins in a window that starts with the first of them.
///
/// Three counts stand side by side, so that no stranger can lock a victim out and none can guess at leisure:
/// - a name from one address: `failures`, then 429 until the window ends;
/// - one address over all names: ten times as many;
/// - a name over all addresses: after ten times as many, each further address has `strangerFailures` guesses, which
///   still lets the victim in from an address that did not fail.
///
/// Beside them each name has a rate from each address, whatever the outcome: checking a right password costs as much as
/// checking a wrong one. Its waits are short, and no other address has a part in it.
///
/// Counts live in memory and are bounded; the least recently touched are forgotten first.
public final class LoginThrottle: Sendable {
    private let failures: Int
    private let strangerFailures: Int
    private let window: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let attempts: RateLimit
    private let table: Mutex<FailureTable>
    private let rates: Mutex<RecentTable<TokenBucket>>

    /// - Parameters:
    ///   - failures: Failed sign-ins a name has from one address within the window, 1 or more. Default 10.
    ///   - window: Default 15 minutes.
    ///   - attempts: Sign-ins of a name from one address. Default: 60 at once, and 4 a second.
    ///   - capacity: Counts to keep, and rates. Default 100,000, some 20 MB.
    ///   - now: A clock that never steps.
    public init(
        failures: Int = 10, window: Duration = .seconds(900),
        attempts: RateLimit = RateLimit(burst: 60, perSecond: 4), capacity: Int = 100_000,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.failures = max(1, failures)
        strangerFailures = max(1, failures / 3)
        self.window = window
        self.attempts = attempts
        self.now = now
        table = Mutex(FailureTable(capacity: capacity))
        rates = Mutex(RecentTable(capacity: capacity))
    }

    /// Counts an attempt, or refuses it before its password is looked at.
    ///
    /// - Throws: 429 with `Retry-After`.
    public func check(username: String, peer: String) throws(ServiceError) {
        let keys = Keys(username, peer)
        let wait = table.withLock { table in pause(keys, in: &table, at: now()) }
        if let wait { throw .tooManyFailedLogins(retryAfter: wait) }
        let quota = rates.withLock { rates in
            var bucket = rates[keys.pair] ?? TokenBucket()
            defer { rates[keys.pair] = bucket }
            return bucket.take(attempts, at: now())
        }
        if let wait = quota.wait { throw .tooManyLogins(retryAfter: wait) }
    }

    /// Notes how an attempt ended, and has the last word: of attempts at the same moment, only as many learn whether
    /// their guess was right as one after the other would have.
    ///
    /// - Throws: 429 with `Retry-After`, also for a right password.
    public func settle(username: String, peer: String, succeeded: Bool) throws(ServiceError) {
        let keys = Keys(username, peer)
        let wait = table.withLock { table -> Duration? in
            let instant = now()
            if let wait = pause(keys, in: &table, at: instant) { return wait }
            if succeeded {
                table.forget(keys.pair)
            } else {
                for key in keys.all { table.add(key, at: instant, window: window) }
            }
            return nil
        }
        if let wait { throw .tooManyFailedLogins(retryAfter: wait) }
    }

    /// How long this attempt must wait; `nil` for not at all.
    private func pause(
        _ keys: Keys, in table: inout FailureTable, at instant: ContinuousClock.Instant
    ) -> Duration? {
        let pair = table.count(keys.pair, at: instant, window: window)
        let peer = table.count(keys.peer, at: instant, window: window)
        let name = table.count(keys.name, at: instant, window: window)
        let allowed = name.failures >= failures * 10 ? strangerFailures : failures
        if pair.failures >= allowed { return pair.remaining }
        if peer.failures >= failures * 10 { return peer.remaining }
        return nil
    }

    /// Counted things as numbers: 64 bits of a hash whose seed is new in every process, so nobody can aim at one.
    private struct Keys {
        let pair: Int
        let peer: Int
        let name: Int
        var all: [Int] { [pair, peer, name] }

        init(_ username: String, _ peer: String) {
            let network = PeerNetwork.key(peer)
            pair = Self.hash(0, username, network)
            self.peer = Self.hash(1, "", network)
            name = Self.hash(2, username, "")
        }

        private static func hash(_ kind: Int, _ first: String, _ second: String) -> Int {
            var hasher = Hasher()
            hasher.combine(kind)
            hasher.combine(first)
            hasher.combine(second)
            return hasher.finalize()
        }
    }
}

extension ServiceError {
    static func tooManyFailedLogins(retryAfter wait: Duration) -> ServiceError {
        tooManyLogins("Too many failed logins", "Too many logins failed", wait)
    }

    static func tooManyLogins(retryAfter wait: Duration) -> ServiceError {
        tooManyLogins("Too many logins", "This account logs in too often from this address", wait)
    }

    private static func tooManyLogins(_ title: String, _ reason: String, _ wait: Duration) -> ServiceError {
        let seconds = wait.retryAfterSeconds
        return ServiceError(
            429, code: "too_many_logins", title: title, detail: "\(reason); wait \(seconds) seconds, then try again.",
            headers: ["Retry-After": String(seconds)])
    }
}
