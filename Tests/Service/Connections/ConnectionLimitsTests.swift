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
        var (bounded, refused, evictions) = (0, 0, 0)
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
                    #expect(!isBounded && open.count == total && idle.isEmpty)
                    refused += 1
                case .admitted(let new, let old):
                    #expect(!isBounded && old == (open.count == total ? idle.first : nil))
                    #expect(open.count < total || old != nil)
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
    }
}
