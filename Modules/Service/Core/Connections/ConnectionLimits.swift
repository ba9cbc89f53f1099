/// Which connections are let in, as a value: how many there are in all and of each address, and which are idle.
///
/// A connection over the bound of its address is refused. One over the bound in all takes the place of the connection that
/// has been idle longest, and is refused only when each has a request under way.
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
    private var idle = IdleOrder<ID>()
    private var lastID = 0

    /// - Parameters:
    ///   - total: At least 1.
    ///   - perAddress: At least 1; never more than half of `total`, so that no address has them all.
    init(total: Int, perAddress: Int) {
        self.total = max(1, total)
        self.perAddress = max(1, min(perAddress, self.total / 2))
    }

    var count: Int { addresses.count }

    /// - Parameter address: `nil` for a peer that no bound of its own holds for.
    mutating func admit(_ address: String?) -> Verdict {
        if let address, counts[address, default: 0] >= perAddress { return .addressIsFull }
        var evicted: ID?
        if count >= total {
            guard let oldest = idle.oldest else { return .full }
            remove(oldest)
            evicted = oldest
        }
        lastID += 1
        addresses[lastID] = .some(address)
        if let address { counts[address, default: 0] += 1 }
        idle.append(lastID)
        return .admitted(lastID, evicting: evicted)
    }

    /// A request is under way.
    mutating func begin(_ id: ID) { idle.remove(id) }

    /// No request is under way any more.
    mutating func wait(_ id: ID) { if addresses[id] != nil { idle.append(id) } }

    /// A connection that was evicted is gone already, which is no error.
    mutating func remove(_ id: ID) {
        guard let address = addresses.removeValue(forKey: id) else { return }
        idle.remove(id)
        guard let address, let count = counts[address] else { return }
        counts[address] = count > 1 ? count - 1 : nil
    }
}
