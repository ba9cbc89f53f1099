import StrataConcurrency
import StrataDomain

/// Requests to the origin that other calls wait for, so that one miss is one request (collapsed forwarding).
///
/// A call that waited looks into the store again and decides for its own request; it never gets the response of another.
final class CacheFlights: Sendable {
    struct Key: Sendable, Hashable {
        let key: HTTPCacheKey
        let selecting: [String?]

        /// Names the lease for asking the origin; processes that send the same fields wait for it.
        var lease: HTTPCacheKey { derived("lease") }

        /// Where all processes note that responses are not kept.
        var hitForMiss: HTTPCacheKey { derived("passed") }

        private func derived(_ purpose: String) -> HTTPCacheKey {
            key.derived(purpose, selecting.map { $0.map { "+" + $0 } ?? "-" })
        }
    }

    /// The outcome of a flight.
    enum Outcome: Sendable {
        /// The store was changed: look again.
        case stored
        /// The response is not kept: each call asks for itself.
        case unshared
        /// The origin could not be reached, or failed (`nil`).
        case failed((any Error)?)
        /// The leader ended for reasons of its own: another call leads.
        case abandoned
    }

    private let flights = Mutex<[Key: CacheFlight]>([:])
    private let patience: CacheFlight.Patience

    /// - Parameter patience: How long waiters let the leader's reader hold the response back.
    init(patience: CacheFlight.Patience) { self.patience = patience }

    /// How many calls wait, for any flight.
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

    /// Ends the flight: tells the waiters, and lets the next call lead. Only the first outcome counts.
    func settle(_ key: Key?, _ flight: CacheFlight?, _ outcome: Outcome) {
        guard let key, let flight else { return }
        flights.withLock { if $0[key] === flight { $0[key] = nil } }
        flight.settle(outcome)
    }
}

extension HTTPCacheKey {
    /// A key for something about this key that is not a response.
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
        /// Of the reader of the leader's response.
        var backpressure: Backpressure?
        var watch: Task<Void, Never>?
        var outcome: CacheFlights.Outcome?
        var waiters: [Int: CheckedContinuation<CacheFlights.Outcome?, Never>] = [:]
        var left: Set<Int> = []
        var lastWaiter = 0
        var whenSettled: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let patience: Patience
    private let giveUp: @Sendable (CacheFlight) -> Void

    /// - Parameter giveUp: Called when the reader is too slow for the waiters.
    init(patience: Patience, giveUp: @escaping @Sendable (CacheFlight) -> Void) {
        self.patience = patience
        self.giveUp = giveUp
    }

    /// The response is being read from now on. Waiters wait for the origin, not for a slow reader.
    func isRead(_ backpressure: Backpressure) {
        state.withLock { state in
            state.backpressure = backpressure
            watch(&state)
        }
    }

    /// Watches the reader once a call waits.
    private func watch(_ state: inout State) {
        guard let backpressure = state.backpressure, state.watch == nil, state.outcome == nil, !state.waiters.isEmpty
        else { return }
        state.watch = Task { [patience, weak self] in
            while backpressure.held < patience.limit {
                guard (try? await patience.clock.sleep(for: patience.limit - backpressure.held)) != nil else { return }
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

    /// Does `body` when the flight settles, or at once where it has.
    func whenSettled(_ body: @escaping @Sendable () -> Void) {
        let isSettled = state.withLock { state in
            if state.outcome == nil { state.whenSettled = body }
            return state.outcome != nil
        }
        if isSettled { body() }
    }

    func settle(_ outcome: CacheFlights.Outcome) {
        let ended = state.withLock { state -> State? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            state.watch?.cancel()
            defer { (state.waiters, state.whenSettled) = ([:], nil) }
            return state
        }
        guard let ended else { return }
        for waiter in ended.waiters.values { waiter.resume(returning: outcome) }
        ended.whenSettled?()
    }
}
