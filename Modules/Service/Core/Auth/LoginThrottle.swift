import Crypto
public import FoundationEssentials
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
/// The counts are rows, so the replicas of a service share them. Each costs an attacker the check of a password, which bounds
/// their number: some 50,000 in a window for 20 checks a second. A key is an HMAC of the name and the address, because a name
/// may be a password typed in the wrong field. A clock that is set back prolongs no window by more than `ClockTolerance`.
///
/// In addition each name has a rate from each address, whatever the outcome, because checking a correct password costs as
/// much as checking a wrong one. It protects the processors of one replica, so each replica counts for itself, in memory; the
/// least recently used rates are dropped first.
public final class LoginThrottle: Sendable {
    private let limit: Int
    private let table: LoginFailureTable
    private let key: SymmetricKey
    private let attempts: RateLimit
    private let timers: TimerQueue
    private let rates: Mutex<LRUTable<TokenBucket>>

    /// - Parameters:
    ///   - keys: Their secret makes the keys of the counts. After a rotation of the secret, all counts start at 0.
    ///   - failures: Failed logins of a name from one address within the window, 1 or more. Default 10.
    ///   - window: Seconds, and the longest `Retry-After`. Default 15 minutes.
    ///   - attempts: Logins of a name from one address at one replica. Default: 60 at once, and 4 a second.
    ///   - capacity: Rates to keep. Default 100,000, some 10 MB.
    ///   - clock: Measures the rate.
    public init(
        keys: SigningKeys, failures: Int = 10, window: TimeInterval = 900,
        attempts: RateLimit = RateLimit(burst: 60, perSecond: 4), capacity: Int = 100_000,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        limit = max(1, failures)
        table = LoginFailureTable(window: window)
        key = keys.loginKey
        self.attempts = attempts
        timers = TimerQueue(clock)
        rates = Mutex(LRUTable(capacity: capacity))
    }

    /// The table of the counts.
    public static var migration: StoreMigration { LoginFailureTable.migration }

    /// Deletes the counts of ended windows.
    public func prune(at now: Date, in transaction: any StoreTransaction) throws {
        try table.prune(at: now, in: transaction)
    }

    /// Refuses an attempt before its password is checked.
    ///
    /// - Throws: 429 with `Retry-After` after too many failures.
    public func check(username: String, peer: String, at now: Date, in store: any StoreReader) throws {
        _ = try failures(of: Keys(username, peer, key), at: now, in: store)
    }

    /// Counts an attempt, whatever its outcome.
    ///
    /// - Throws: 429 with `Retry-After` for too many attempts.
    public func take(username: String, peer: String) throws(ServiceError) {
        let slot = LRUTable<TokenBucket>.key(username, ClientNetwork.key(peer))
        let wait = rates.withLock { rates in
            var bucket = rates[slot] ?? TokenBucket()
            defer { rates[slot] = bucket }
            return bucket.take(attempts, at: timers.now).wait
        }
        if let wait { throw .tooManyLogins(retryAfter: wait) }
    }

    /// Records the outcome of an attempt. Of simultaneous attempts, only as many learn their outcome as would have one
    /// after the other, at all replicas together.
    ///
    /// - Throws: 429 with `Retry-After`, also for a correct password.
    public func settle(
        username: String, peer: String, succeeded: Bool, at now: Date, in transaction: any StoreTransaction
    ) throws {
        let keys = Keys(username, peer, key)
        let isCounted = try failures(of: keys, at: now, in: transaction) > 0
        if !succeeded {
            try table.add(keys.all, at: now, in: transaction)
        } else if isCounted {
            try table.remove(keys.pair, in: transaction)
        }
    }

    /// Counts another kind of event beside failed logins, in windows of its own; all replicas together.
    ///
    /// - Parameters:
    ///   - kind: The name of the kind, which no other kind has.
    ///   - subject: What is limited: a user, or the `ClientNetwork.key` of a client. It is stored as a keyed digest.
    ///   - limit: Events in a window, which starts with the first of them.
    ///   - window: Seconds, at most a day.
    /// - Returns: Seconds to wait, when `limit` events are counted already; `nil` when this one was counted.
    public func count(
        _ kind: String, of subject: String, limit: Int, window: TimeInterval, at now: Date,
        in transaction: any StoreTransaction
    ) throws -> Int? {
        let events = LoginFailureTable(window: min(window, LoginFailureTable.longestWindow))
        let slot = Keys.digest("event", kind, subject, key: key)
        if let counted = try events.counts([slot], at: now, in: transaction)[slot], counted.count >= limit {
            return counted.remaining.retryAfterSeconds
        }
        try events.add([slot], at: now, in: transaction)
        return nil
    }

    /// Whether an error is a refusal by a throttle.
    public static func isRefusal(_ error: any Error) -> Bool {
        (error as? ServiceError)?.problem.code == ServiceError.tooManyLoginsCode
    }

    /// - Returns: The failures of the name at the address.
    /// - Throws: 429 when the attempt must wait.
    private func failures(of keys: Keys, at now: Date, in store: any StoreReader) throws -> Int {
        let counts = try table.counts(keys.all, at: now, in: store)
        let pair = counts[keys.pair] ?? .init()
        let isAttacked = (counts[keys.name]?.count ?? 0) >= limit * 10
        if pair.count >= (isAttacked ? max(1, limit / 3) : limit) {
            throw ServiceError.tooManyFailedLogins(retryAfter: pair.remaining)
        }
        if let peer = counts[keys.peer], peer.count >= limit * 10 {
            throw ServiceError.tooManyFailedLogins(retryAfter: peer.remaining)
        }
        return pair.count
    }

    private struct Keys {
        let pair: String
        let peer: String
        let name: String

        var all: [String] { [pair, peer, name] }

        init(_ username: String, _ peer: String, _ key: SymmetricKey) {
            let network = ClientNetwork.key(peer)
            pair = Self.digest("pair", username, network, key: key)
            self.peer = Self.digest("peer", network, key: key)
            name = Self.digest("name", username, key: key)
        }

        static func digest(_ texts: String..., key: SymmetricKey) -> String {
            var code = HMAC<SHA256>(key: key)
            // With its length before it, no text can pass for another one.
            for text in texts { code.update(data: Data("\(text.utf8.count) \(text)".utf8)) }
            return Base64URL.encode(Data(code.finalize()))
        }
    }
}

extension ServiceError {
    fileprivate static let tooManyLoginsCode = "too_many_logins"

    fileprivate static func tooManyFailedLogins(retryAfter wait: Duration) -> ServiceError {
        tooManyLogins("Too many failed logins", "Too many logins failed", wait)
    }

    fileprivate static func tooManyLogins(retryAfter wait: Duration) -> ServiceError {
        tooManyLogins("Too many logins", "This account logs in too often from this address", wait)
    }

    private static func tooManyLogins(_ title: String, _ reason: String, _ wait: Duration) -> ServiceError {
        let seconds = wait.retryAfterSeconds
        return ServiceError(
            429, code: tooManyLoginsCode, title: title, detail: "\(reason); wait \(seconds) seconds, then try again.",
            headers: ["Retry-After": String(seconds)])
    }
}
