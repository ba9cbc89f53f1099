import StrataDomain

/// The connectivity that follows from links and request outcomes. Pure.
///
/// A response proves that the network is there, whatever the links say. While the links are up, three failures in a row, or
/// failures of two origins, mean offline; requests are still sent. A change of the links forgets all outcomes.
struct ConnectivityVerdict: Sendable, Equatable {
    /// Failures in a row that mean offline.
    static let failures = 3
    /// Origins that fail in a row and mean offline: when one server is down, others answer.
    static let origins = 2
    /// Older failures do not count.
    static let window = Duration.seconds(60)

    private enum Requests: Sendable, Equatable { case unknown, answered, failing }

    private struct FailedConnection: Sendable, Equatable {
        let origin: Origin
        let instant: Duration
    }

    private var link: Connectivity?
    private var requests = Requests.unknown
    /// Oldest first, at most `failures`.
    private var failed: [FailedConnection] = []

    /// `nil` until the links are known.
    var connectivity: Connectivity? {
        switch (link, requests) {
        case (nil, _): nil
        case (_, .answered): .online
        case (.offline, _), (.online, .failing): .offline
        case (.online, .unknown): .online
        }
    }

    /// - Parameter state: `nil` when the links are no longer watched.
    mutating func link(_ state: Connectivity?) {
        guard state != link else { return }
        // The first state of the links is not a change.
        if link != nil { forget() }
        link = state
    }

    mutating func answered() {
        requests = .answered
        failed = []
    }

    /// Counts that no connection to `origin` could be made.
    mutating func failed(_ origin: Origin, at now: Duration) {
        if link == .offline { return forget() }
        failed.removeAll { now - $0.instant > Self.window }
        failed.append(FailedConnection(origin: origin, instant: now))
        if failed.count > Self.failures { failed.removeFirst() }
        let origins = Set(failed.map(\.origin)).count
        if origins >= Self.origins || failed.count >= Self.failures { requests = .failing }
    }

    private mutating func forget() {
        requests = .unknown
        failed = []
    }
}
