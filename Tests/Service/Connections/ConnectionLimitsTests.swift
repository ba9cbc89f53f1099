import StrataTesting
import Testing

@testable import StrataService

struct ConnectionLimitsTests {
    private func ids(_ verdict: ConnectionLimits.Verdict) -> (admitted: Int?, evicted: Int?) {
        guard case .admitted(let id, let evicted) = verdict else { return (nil, nil) }
        return (id, evicted)
    }

    @Test func `no address has more than half of all`() {
        var limits = ConnectionLimits(total: 10, perAddress: 256)
        for _ in 0..<5 { #expect(ids(limits.admit("a")).admitted != nil) }
        #expect(limits.admit("a") == .addressIsFull)
    }

    @Test func `over the total with requests everywhere a new connection is refused`() {
        var limits = ConnectionLimits(total: 2, perAddress: 256)
        for name in ["a", "b"] { if let id = ids(limits.admit(name)).admitted { limits.markBusy(id) } }
        #expect(limits.admit("c") == .full)
        #expect(limits.count == 2)
    }

    @Test func `an evicted connection that ends later takes no place with it`() {
        var limits = ConnectionLimits(total: 2, perAddress: 256)
        let open = ["a", "b"].compactMap { ids(limits.admit($0)).admitted }
        let new = ids(limits.admit("c"))
        #expect(new.evicted == open[0])
        limits.remove(open[0])
        limits.markIdle(open[0])
        #expect(limits.count == 2)
        #expect(ids(limits.admit("a")).evicted == open[1])
        #expect(ids(limits.admit("b")).evicted == new.admitted)
    }

    @Test func `counts are right after any order of events`() {
        var limits = ConnectionLimits(total: 20, perAddress: 4)
        var random = SeededRandom(seed: 13)
        var open: [Int: String] = [:]
        for _ in 0..<20_000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let address = "\(Int.random(in: 0..<8, using: &random))"
                let verdict = ids(limits.admit(address))
                if let evicted = verdict.evicted { open[evicted] = nil }
                if let id = verdict.admitted { open[id] = address }
            case 2: if let id = open.keys.sorted().randomElement(using: &random) { limits.markBusy(id) }
            default:
                guard let id = open.keys.sorted().randomElement(using: &random) else { break }
                if Bool.random(using: &random) {
                    limits.markIdle(id)
                } else {
                    limits.remove(id)
                    open[id] = nil
                }
            }
            #expect(limits.count == open.count && open.count <= 20)
            #expect(Dictionary(grouping: open.values) { $0 }.values.allSatisfy { $0.count <= 4 })
        }
    }
}
