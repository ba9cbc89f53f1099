import StrataConcurrency

/// Notices that a URL was changed while it was being read, so that the old answer is not stored after the change.
final class ReadsUnderWay: Sendable {
    struct Ticket: Sendable, Hashable {
        let url: String
        fileprivate let number: Int
    }

    private struct State {
        var lastNumber = 0
        /// Of each URL being read, the reads, and whether they are outdated.
        var reads: [String: [Int: Bool]] = [:]
    }

    private let state = Mutex(State())

    func begin(_ url: String) -> Ticket {
        state.withLock { state in
            state.lastNumber += 1
            state.reads[url, default: [:]][state.lastNumber] = false
            return Ticket(url: url, number: state.lastNumber)
        }
    }

    func end(_ ticket: Ticket) {
        state.withLock { state in
            state.reads[ticket.url]?[ticket.number] = nil
            if state.reads[ticket.url]?.isEmpty == true { state.reads[ticket.url] = nil }
        }
    }

    /// `url` has changed: what is being read of it now is old.
    func changed(_ url: String) {
        state.withLock { state in
            guard let reads = state.reads[url] else { return }
            state.reads[url] = reads.mapValues { _ in true }
        }
    }

    func isOutdated(_ ticket: Ticket) -> Bool {
        state.withLock { $0.reads[ticket.url]?[ticket.number] ?? true }
    }
}
