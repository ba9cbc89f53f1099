/// Decides which connections are admitted, by their number in all and of each address.
///
/// A connection above the bound of its address is refused. One above the bound in all evicts the connection that has been
/// idle longest; it is refused only when every connection has a request in progress.
struct ConnectionLimits: Sendable {
    typealias ID = Int

    enum Verdict: Sendable, Hashable {
        case admitted(ID, evicting: ID?)
        case addressIsFull
        case full
    }

    private let total: Int
    private let perAddress: Int
    private var addresses: [ID: String?] = [:]
    private var counts: [String: Int] = [:]
    /// Idle connections with the number of the event that made them idle.
    private var idle: [ID: Int] = [:]
    private var lastID = 0
    private var lastEvent = 0

    /// - Parameters:
    ///   - total: At least 1.
    ///   - perAddress: At least 1; never more than half of `total`, so that no address takes all.
    init(total: Int, perAddress: Int) {
        self.total = max(1, total)
        self.perAddress = max(1, min(perAddress, self.total / 2))
    }

    var count: Int { addresses.count }

    /// - Parameter address: `nil` for a peer that only the bound in all applies to.
    mutating func admit(_ address: String?) -> Verdict {
        if let address, counts[address, default: 0] >= perAddress { return .addressIsFull }
        var evicted: ID?
        if count >= total {
            guard let oldest = idle.min(by: { $0.value < $1.value })?.key else { return .full }
            remove(oldest)
            evicted = oldest
        }
        lastID += 1
        addresses[lastID] = .some(address)
        if let address { counts[address, default: 0] += 1 }
        markIdle(lastID)
        return .admitted(lastID, evicting: evicted)
    }

    /// A request is in progress.
    mutating func markBusy(_ id: ID) { idle[id] = nil }

    /// No request is in progress.
    mutating func markIdle(_ id: ID) {
        guard addresses[id] != nil, idle[id] == nil else { return }
        lastEvent += 1
        idle[id] = lastEvent
    }

    /// Does nothing for a connection that was evicted.
    mutating func remove(_ id: ID) {
        guard let address = addresses.removeValue(forKey: id) else { return }
        idle[id] = nil
        guard let address, let count = counts[address] else { return }
        counts[address] = count > 1 ? count - 1 : nil
    }
}
