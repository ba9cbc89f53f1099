import StrataConcurrency
import StrataDomain
import StrataNetworking

/// One request to the origin for all calls that send the same fields (collapsed forwarding).
///
/// A call that waited looks into the store again and decides for its own request; it never gets the response of another.
typealias CacheFlights = SingleFlight<CacheFlightKey, CacheFlightOutcome>

/// What calls share a request by. A call that comes after an invalidation finds another generation and does not wait for an
/// earlier request.
struct CacheFlightKey: Sendable, Hashable {
    /// As `CacheCall.variant`.
    let variant: HTTPCacheKey
    let generation: CacheGeneration
}

/// The outcome that waiting calls get from their leader.
enum CacheFlightOutcome: Sendable {
    /// The store was changed: look again.
    case stored
    /// The response is not stored: each call sends a request of its own.
    case unshared
    /// The origin could not be reached, or failed (`nil`).
    case failed((any Error)?)
}

/// The part of the leader in a flight. It ends once, with an outcome or with a new leader; later ends have no effect.
final class CacheLead: Sendable {
    private struct State {
        var hasEnded = false
        /// Releases the lease.
        var release: (@Sendable () -> Void)?
        /// Of the reader of the response.
        var patience: ReaderPatience?
    }

    let key: CacheFlightKey
    private let flights: CacheFlights
    private let state = Mutex(State())

    init(_ key: CacheFlightKey, in flights: CacheFlights) {
        self.key = key
        self.flights = flights
    }

    /// Gives the outcome to the waiting calls, and lets the next call lead.
    func end(_ outcome: CacheFlightOutcome) { end { flights.finish(key, outcome) } }

    /// Makes a waiting call the leader.
    func handOver() { end { flights.handOver(key) } }

    private func end(_ flight: () -> Void) {
        let ended = state.withLock { state -> State? in
            guard !state.hasEnded else { return nil }
            defer { state = State(hasEnded: true) }
            return state
        }
        guard let ended else { return }
        ended.patience?.end()
        flight()
        ended.release?()
    }

    /// Calls `release` when the lead ends, or at once where it has.
    func hold(_ release: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.release = release }
            return state.hasEnded
        }
        if hasEnded { release() }
    }

    /// Hands over once the reader of the response has kept it waiting for `limit` in all: calls wait for the origin, not for
    /// a slow reader.
    func isRead(for limit: Duration, on time: MonotonicTime) -> ReaderPatience {
        let patience = ReaderPatience(limit, on: time) { [weak self] in self?.handOver() }
        state.withLock { if !$0.hasEnded { $0.patience = patience } }
        return patience
    }
}
