import StrataConcurrency
import StrataDomain

/// The requests under way that others wait for, so that one miss is one request (collapsed forwarding).
///
/// Only what is then in the store is shared, never an answer itself: each that waited decides again for its own request.
final class CacheFlights: Sendable {
    struct Key: Sendable, Hashable {
        let key: HTTPCacheKey
        let selecting: [String?]

        /// The lease for asking the origin, which others who send the same fields wait for.
        var lease: LeaseKey { LeaseKey(key.derived("", selecting.map { $0.map { "+" + $0 } ?? "-" })) }

        /// Where it is noted for all processes that answers are not ones to keep.
        var passed: HTTPCacheKey { key.derived("passed", selecting.map { $0.map { "+" + $0 } ?? "-" }) }
    }

    /// What a flight came to.
    enum Outcome: Sendable {
        /// The store was changed: look again.
        case stored
        /// The answer is not one to keep: everybody asks for their own.
        case unshared
        /// The origin could not be reached, or failed (`nil`).
        case failed((any Error)?)
        /// Whoever asked gave up for reasons of their own.
        case abandoned
    }

    private let flights = Mutex<[Key: CacheFlight]>([:])
    private let patience: CacheFlight.Patience

    /// - Parameter patience: How long those who wait let the reader of an answer take it.
    init(patience: CacheFlight.Patience) { self.patience = patience }

    /// How many calls wait, for whatever flight.
    var waiting: Int { flights.withLock { Array($0.values) }.reduce(0) { $0 + $1.waiting } }

    /// - Returns: The flight, and whether the caller leads it and must `settle` it.
    func join(_ key: Key) -> (flight: CacheFlight, leads: Bool) {
        flights.withLock { flights in
            if let flight = flights[key] { return (flight, false) }
            let flight = CacheFlight(patience: patience) { [weak self] in self?.settle(key, $0, .abandoned) }
            flights[key] = flight
            return (flight, true)
        }
    }

    /// Ends the flight for those who come from now on, and tells those who wait. Only the first outcome counts.
    func settle(_ key: Key?, _ flight: CacheFlight?, _ outcome: Outcome) {
        guard let key, let flight else { return }
        flights.withLock { if $0[key] === flight { $0[key] = nil } }
        flight.settle(outcome)
    }
}

extension HTTPCacheKey {
    /// A key of something that belongs to this one and is no response.
    fileprivate func derived(_ purpose: String, _ parts: [String]) -> HTTPCacheKey {
        // A URL has no spaces.
        HTTPCacheKey(
            principal: principal, url: ([url, purpose] + parts.map { "\($0.utf8.count):\($0)" }).joined(separator: " "))
    }
}

/// One request that several calls wait for.
final class CacheFlight: Sendable {
    struct Patience: Sendable {
        let limit: Duration
        let clock: any Clock<Duration>
    }

    private struct State {
        /// Of the answer on its way to the one who asked.
        var pace: ReaderPace?
        var watch: Task<Void, Never>?
        var outcome: CacheFlights.Outcome?
        var waiters: [Int: CheckedContinuation<CacheFlights.Outcome?, Never>] = [:]
        var left: Set<Int> = []
        var lastWaiter = 0
    }

    private let state = Mutex(State())
    private let patience: Patience
    private let giveUp: @Sendable (CacheFlight) -> Void

    /// - Parameter giveUp: Called when the reader is too slow for those who wait.
    init(patience: Patience, giveUp: @escaping @Sendable (CacheFlight) -> Void) {
        self.patience = patience
        self.giveUp = giveUp
    }

    /// The answer is being read from now on. Those who wait do so for the origin, not for a reader who takes its time.
    func isRead(_ pace: ReaderPace) {
        state.withLock { state in
            state.pace = pace
            watch(&state)
        }
    }

    /// Begins to watch the reader once somebody waits.
    private func watch(_ state: inout State) {
        guard let pace = state.pace, state.watch == nil, state.outcome == nil, !state.waiters.isEmpty else { return }
        state.watch = Task { [patience, weak self] in
            while pace.held < patience.limit {
                guard (try? await patience.clock.sleep(for: patience.limit - pace.held)) != nil else { return }
            }
            if let self { giveUp(self) }
        }
    }

    /// How many calls wait.
    var waiting: Int { state.withLock(\.waiters.count) }

    /// - Throws: `CancellationError` when the waiting task is cancelled; the others wait on.
    func wait() async throws -> CacheFlights.Outcome {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (outcome, isDecided) = state.withLock { state -> (CacheFlights.Outcome?, Bool) in
                    if state.left.remove(waiter) != nil { return (nil, true) }
                    if let outcome = state.outcome { return (outcome, true) }
                    state.waiters[waiter] = continuation
                    watch(&state)
                    return (nil, false)
                }
                if isDecided { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            let continuation = state.withLock { state -> CheckedContinuation<CacheFlights.Outcome?, Never>? in
                if let continuation = state.waiters.removeValue(forKey: waiter) { return continuation }
                state.left.insert(waiter)
                return nil
            }
            continuation?.resume(returning: nil)
        }
        guard let outcome else { throw CancellationError() }
        return outcome
    }

    /// Returns when others need not wait for it any more, for instance in other processes.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func untilSettled() async throws { _ = try await wait() }

    func settle(_ outcome: CacheFlights.Outcome) {
        let waiters = state.withLock { state in
            guard state.outcome == nil else { return [CheckedContinuation<CacheFlights.Outcome?, Never>]() }
            state.outcome = outcome
            state.watch?.cancel()
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }
}
