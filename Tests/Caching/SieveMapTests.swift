import StrataTesting
import Testing

@testable import StrataCaching

struct SieveMapTests {
    @Test func `the oldest unread entry is evicted first`() {
        var map = SieveMap<String, Int>(entryLimit: 3, costLimit: 100)
        for (number, key) in ["a", "b", "c"].enumerated() { map.insert(number, for: key, cost: 1) }
        #expect(map.value(for: "a") == 0)
        map.insert(3, for: "d", cost: 1)
        #expect(map.keys == ["a", "c", "d"])
    }

    @Test func `the hand goes on where it stopped and spares each hit once`() {
        var map = SieveMap<String, Int>(entryLimit: 4, costLimit: 100)
        for key in ["a", "b", "c", "d"] { map.insert(0, for: key, cost: 1) }
        _ = map.value(for: "a")
        map.insert(0, for: "e", cost: 1)
        #expect(map.keys == ["a", "c", "d", "e"])
        // The hand stands at c now, so c and d go although a is older and its hit is spent.
        map.insert(0, for: "f", cost: 1)
        map.insert(0, for: "g", cost: 1)
        #expect(map.keys == ["a", "e", "f", "g"])
        _ = map.value(for: "e")
        map.remove("f")
        map.insert(0, for: "h", cost: 1)
        map.insert(0, for: "i", cost: 1)
        #expect(map.keys == ["a", "e", "h", "i"])
    }

    @Test func `a scan does not evict entries that are read often`() {
        var map = SieveMap<Int, Int>(entryLimit: 10, costLimit: 1000)
        for key in 0..<5 { map.insert(key, for: key, cost: 1) }
        for scanned in 100..<1000 {
            for key in 0..<5 { _ = map.value(for: key) }
            map.insert(scanned, for: scanned, cost: 1)
        }
        #expect((0..<5).allSatisfy { map.value(for: $0) == $0 })
    }

    @Test func `cost is bounded, and an entry over the whole limit is not stored`() {
        var map = SieveMap<Int, Int>(entryLimit: 100, costLimit: 10)
        for key in 0..<5 { map.insert(key, for: key, cost: 4) }
        #expect(map.cost == 8 && map.count == 2)
        map.insert(9, for: 9, cost: 11)
        #expect(map.value(for: 9) == nil && map.count == 2)
        map.insert(9, for: 4, cost: Int.max)
        #expect(map.value(for: 4) == nil && map.cost == 4)
        map.insert(7, for: 7, cost: 10)
        #expect(map.keys == [7])
    }

    @Test func `a map without room keeps nothing`() {
        var map = SieveMap<Int, Int>(entryLimit: 0, costLimit: 10)
        map.insert(1, for: 1, cost: 0)
        #expect(map.count == 0 && map.value(for: 1) == nil)
    }

    @Test(arguments: 0..<20)
    func `count and cost are right after a random history`(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var map = SieveMap<Int, Int>(entryLimit: 8, costLimit: 40)
        var costs: [Int: Int] = [:]
        for step in 0..<2000 {
            let key = Int.random(in: 0..<20, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                map.remove(key)
                #expect(map.value(for: key) == nil)
            case 1: _ = map.value(for: key)
            case 2 where step % 97 == 0: map.removeAll { $0 % 2 == 0 }
            default:
                let cost = Int.random(in: 0..<12, using: &random)
                map.insert(step, for: key, cost: cost)
                costs[key] = cost
                #expect(map.value(for: key) == step)
            }
            let keys = map.keys
            #expect(keys.count == map.count && Set(keys).count == keys.count && map.count <= 8)
            #expect(map.cost == keys.reduce(0) { $0 + (costs[$1] ?? 0) } && map.cost <= 40)
        }
    }
}
