import StrataConcurrency

/// Bounds extra requests to a fraction of the successful calls of one origin, so that retries do not amplify an outage.
///
/// Retries, hedged requests and replays after a refresh share it. Each successful call deposits `ratio` of a request, each extra
/// request withdraws one. It starts with `reserve` requests, so a total outage causes that many extra requests.
///
/// Remembers 1024 origins below their reserve; beyond that the fullest is forgotten, which fills it up.
public final class RetryBudget: Sendable {
    /// Extra requests for each call that was answered well, in the long run.
    public let ratio: Double
    /// Extra requests that are saved up at most.
    public let reserve: Double
    /// In thousandths of a request, because ten times 0.1 is less than 1. Only origins below their reserve have an entry.
    private let balances = Mutex<[Origin: Int]>([:])
    private let deposit: Int
    private let full: Int
    private let capacity: Int

    /// - Parameters:
    ///   - ratio: 0 to 1, in thousandths. Standard: 0.1.
    ///   - reserve: 0 to 1 000 000. Standard: 10.
    public convenience init(ratio: Double, reserve: Double) throws(OptionsError) {
        try self.init(ratio: ratio, reserve: reserve, capacity: 1024)
    }

    init(ratio: Double, reserve: Double, capacity: Int) throws(OptionsError) {
        guard (0...1).contains(ratio), (0...1_000_000).contains(reserve) else {
            throw OptionsError(
                "A retry budget of \(ratio) with a reserve of \(reserve) is none; use 0 to 1 and 0 to 1000000.")
        }
        guard ratio == 0 || ratio >= 0.001 else {
            throw OptionsError("A retry budget of \(ratio) is too small to count; use 0, or 0.001 and more.")
        }
        self.ratio = ratio
        self.reserve = reserve
        self.capacity = max(1, capacity)
        deposit = Self.thousandths(ratio)
        full = Self.thousandths(reserve)
    }

    /// A new budget with the defaults.
    public static var standard: RetryBudget { RetryBudget() }

    private init() {
        (ratio, reserve, capacity) = (0.1, 10, 1024)
        (deposit, full) = (Self.thousandths(ratio), Self.thousandths(reserve))
    }

    /// Deposits for a call that was answered and did not fail. Call it once a call, whatever it took.
    public func succeeded(_ origin: Origin) {
        change(origin) { balance in balance + deposit }
    }

    /// Takes a retry or a hedge out.
    ///
    /// - Returns: Whether there was one left; `false` changes nothing.
    package func withdraw(for origin: Origin) -> Bool {
        balances.withLock { balances in
            let balance = balances[origin] ?? full
            guard balance >= 1000 else { return false }
            set(balance - 1000, for: origin, in: &balances)
            return true
        }
    }

    /// Counts an extra request that must be made, such as the replay after a refresh.
    ///
    /// It leaves a debt of one reserve, or of one request, at most.
    public func charge(for origin: Origin) {
        change(origin) { balance in max(balance - 1000, -max(full, 1000)) }
    }

    /// Extra requests that are left, negative for a debt; `reserve` for an unknown origin.
    package func balance(of origin: Origin) -> Double {
        Double(balances.withLock { $0[origin] } ?? full) / 1000
    }

    private func change(_ origin: Origin, _ change: (Int) -> Int) {
        balances.withLock { balances in
            let known = balances[origin]
            let balance = change(known ?? full)
            if known != nil || balance < full { set(balance, for: origin, in: &balances) }
        }
    }

    /// A full balance needs no entry.
    private func set(_ balance: Int, for origin: Origin, in balances: inout [Origin: Int]) {
        guard balance < full else {
            balances[origin] = nil
            return
        }
        if balances[origin] == nil, balances.count >= capacity,
            let fullest = balances.max(by: { $0.value < $1.value })
        {
            balances[fullest.key] = nil
        }
        balances[origin] = balance
    }

    private static func thousandths(_ number: Double) -> Int { Int((number * 1000).rounded()) }
}
