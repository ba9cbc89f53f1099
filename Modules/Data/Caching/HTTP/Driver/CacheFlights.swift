import StrataDomain
import Synchronization

/// The requests under way that others wait for, so that one miss is one request (collapsed forwarding).
///
/// Only what is then in the store is shared, never an answer itself: each that waited decides again for its own request.
final class CacheFlights: Sendable {
    struct Key: Sendable, Hashable {
        let key: HTTPCacheKey
        let selecting: [String?]
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

    /// How many calls wait, for whatever flight.
    var waiting: Int { flights.withLock { Array($0.values) }.reduce(0) { $0 + $1.waiting } }

    /// - Returns: The flight, and whether the caller leads it and must `settle` it.
    func join(_ key: Key) -> (flight: CacheFlight, leads: Bool) {
        flights.withLock { flights in
            if let flight = flights[key] { return (flight, false) }
            let flight = CacheFlight()
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

/// One request that several calls wait for.
final class CacheFlight: Sendable {
    private struct State {
        var outcome: CacheFlights.Outcome?
        var waiters: [Int: CheckedContinuation<CacheFlights.Outcome?, Never>] = [:]
        var left: Set<Int> = []
        var lastWaiter = 0
    }

    private let state = Mutex(State())

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

    func settle(_ outcome: CacheFlights.Outcome) {
        let waiters = state.withLock { state in
            guard state.outcome == nil else { return [CheckedContinuation<CacheFlights.Outcome?, Never>]() }
            state.outcome = outcome
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }
}
