import Synchronization

/// Keeps retries a fraction of the calls to one origin, so that an outage is not amplified.
///
/// Each call deposits `ratio` of a retry, each retry withdraws one; `reserve` retries are free at first.
public final class RetryBudget: Sendable {
    /// Share of calls that may be retried in the long run.
    public let ratio: Double
    /// Retries that are saved up at most.
    public let reserve: Double
    /// Only origins below their reserve have an entry.
    private let balances = Mutex<[Origin: Double]>([:])

    /// - Parameters:
    ///   - ratio: 0 to 1. Standard: 0.2.
    ///   - reserve: 0 or more. Standard: 10.
    public init(ratio: Double, reserve: Double) throws(OptionsError) {
        guard (0...1).contains(ratio), reserve >= 0 else {
            throw OptionsError(
                "A retry budget of \(ratio) with a reserve of \(reserve) is none; use 0 to 1 and 0 or more.")
        }
        self.ratio = ratio
        self.reserve = reserve
    }

    /// A new budget with the defaults.
    public static var standard: RetryBudget { RetryBudget() }

    private init() {
        ratio = 0.2
        reserve = 10
    }

    /// Retries that are left for `origin`.
    func balance(of origin: Origin) -> Double { balances.withLock { $0[origin] } ?? reserve }

    func deposit(for origin: Origin) {
        balances.withLock { balances in
            guard let balance = balances[origin] else { return }
            balances[origin] = balance + ratio < reserve ? balance + ratio : nil
        }
    }

    /// - Returns: Whether there was a retry left.
    func withdraw(for origin: Origin) -> Bool {
        balances.withLock { balances in
            let balance = balances[origin] ?? reserve
            guard balance >= 1 else { return false }
            balances[origin] = balance - 1
            return true
        }
    }
}
