import StrataTesting
import Testing

@testable import StrataService

struct ConnectionLimitsTests {
    /// `most` is the bound of an address: at most half of all.
    @Test(arguments: [(6, 2, 2), (10, 256, 5), (2, 256, 1)])
    func `a bounded address, an eviction and a refusal follow from what is open and idle, after any order of events`(
        total: Int, perAddress: Int, most: Int
    ) {
        var limits = ConnectionLimits(total: total, perAddress: perAddress)
        var random = SeededRandom(seed: 13)
        var open: [Int: String] = [:]
        // Idle longest first.
        var idle: [Int] = []
        // An evicted connection that ends later changes nothing.
        var evicted: [Int] = []
        var (bounded, refused, evictions, interruptions) = (0, 0, 0, 0)
        // The oldest connection of the address with the most, if that has more than a new one's would.
        func interrupted(for address: String) -> Set<Int> {
            let counts = Dictionary(grouping: open.values, by: { $0 }).mapValues(\.count)
            let most = counts.values.max() ?? 0
            guard most > counts[address, default: 0] + 1 else { return [] }
            return Set(
                counts.filter { $0.value == most }.keys.compactMap { name in open.filter { $0.value == name }.keys.min()
                })
        }
        for _ in 0..<10_000 {
            let id = (open.keys.sorted() + evicted).randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<9, using: &random) {
            case 0...3:
                let address = "\(Int.random(in: 0..<8, using: &random))"
                let isBounded = open.values.count { $0 == address } == most
                switch limits.admit(address) {
                case .addressIsFull:
                    #expect(isBounded)
                    bounded += 1
                case .full:
                    #expect(!isBounded && open.count == total && idle.isEmpty && interrupted(for: address).isEmpty)
                    refused += 1
                case .admitted(let new, let old):
                    #expect(!isBounded && (open.count == total) == (old != nil))
                    if let old, let first = idle.first {
                        #expect(old == first)
                    } else if let old {
                        #expect(interrupted(for: address).contains(old))
                        interruptions += 1
                    }
                    if let old {
                        open[old] = nil
                        idle.removeAll { $0 == old }
                        evicted = [old]
                        evictions += 1
                    }
                    open[new] = address
                    idle.append(new)
                }
            case 4...6:
                limits.markBusy(id)
                idle.removeAll { $0 == id }
            case 7:
                limits.markIdle(id)
                if open[id] != nil, !idle.contains(id) { idle.append(id) }
            default:
                limits.remove(id)
                open[id] = nil
                idle.removeAll { $0 == id }
            }
            #expect(limits.count == open.count)
        }
        #expect(bounded > 0 && refused > 0 && evictions > 0)
        #expect((interruptions > 0) == (most > 1))
    }
}
