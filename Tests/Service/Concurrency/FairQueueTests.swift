import StrataTesting
import Testing

@testable import StrataService

@Suite struct FairQueueTests {
    private func drained(_ queue: FairQueue<String>) -> [String] {
        var queue = queue
        return Array(sequence(state: ()) { _ in queue.popFirst() })
    }

    private func queue(_ elements: (String, String)...) -> FairQueue<String> {
        var queue = FairQueue<String>()
        for (key, element) in elements { queue.append(element, for: key) }
        return queue
    }

    @Test func `keys take turns, and a key is first in, first out`() {
        let queue = queue(("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("c", "c1"), ("c", "c2"))
        #expect(queue.count == 6)
        #expect(drained(queue) == ["a1", "b1", "c1", "a2", "c2", "a3"])
    }

    @Test func `the longest queue loses its newest element to a key with fewer elements`() {
        var queue = queue(("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"))
        #expect(queue.displace(for: "a") == nil)
        #expect(queue.displace(for: "b") == "a3")
        #expect(queue.displace(for: "b") == nil)
        #expect(queue.displace(for: "c") == "a2")
        #expect(queue.displace(for: "c") == nil)
        #expect(queue.count == 2)
    }

    @Test func `each element is returned once, and each key in its order`() {
        var random = SeededRandom(seed: 7)
        var queue = FairQueue<Int>()
        var waiting: [Int: String] = [:]
        var next = 0
        for _ in 0..<20_000 {
            if Int.random(in: 0..<10, using: &random) < 6 {
                let key = ["a", "b", "c", "d"][min(3, Int.random(in: 0..<10, using: &random))]
                queue.append(next, for: key)
                waiting[next] = key
                next += 1
            } else if let element = queue.popFirst() {
                let key = waiting.removeValue(forKey: element)
                #expect(key != nil)
                #expect(!waiting.contains { $0.value == key && $0.key < element })
            }
            #expect(queue.count == waiting.count)
        }
        while let element = queue.popFirst() { #expect(waiting.removeValue(forKey: element) != nil) }
        #expect(waiting.isEmpty)
    }
}
