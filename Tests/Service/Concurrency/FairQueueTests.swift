import StrataConcurrency
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

    @Test func `a new key waits for one element of each other key at most`() {
        var queue = FairQueue<String>()
        for number in 0..<90 { queue.append("a\(number)", for: "a") }
        #expect(queue.popFirst() == "a0")
        queue.append("b1", for: "b")
        #expect(queue.popFirst() == "a1")
        #expect(queue.popFirst() == "b1")
        #expect(queue.popFirst() == "a2")
    }

    @Test func `an element can be taken from the middle, and an empty key has no turn`() {
        var queue = queue(("a", "a1"), ("a", "a2"), ("b", "b1"))
        #expect(queue.remove(for: "a") { $0 == "a2" } == "a2")
        #expect(queue.remove(for: "a") { $0 == "a2" } == nil)
        #expect(queue.remove(for: "b") { $0 == "b1" } == "b1")
        #expect(queue.remove(for: "x") { _ in true } == nil)
        #expect(drained(queue) == ["a1"])
    }

    @Test func `the key with the most gives way to one with less, and to no equal`() {
        var queue = queue(("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"))
        #expect(queue.displace(for: "a") == nil)
        #expect(queue.displace(for: "b") == "a3")
        #expect(queue.displace(for: "b") == nil)
        #expect(queue.displace(for: "c") == "a2")
        #expect(queue.displace(for: "c") == nil)
        #expect(queue.count == 2)
    }

    @Test func `nothing is lost or doubled, and no key waits longer than a round`() {
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

@Suite struct FairPoolTests {
    @Test func `a call of another key runs next although ninety of one key wait`() async throws {
        let pool = BlockingPool(threads: 1, queueLimit: 100)
        let release = BlockingFlag()
        let order = Noted()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<91 {
                group.addTask {
                    try await pool.run(for: "crowd") {
                        if number == 0 { release.wait() }
                        order.add("crowd")
                    }
                }
                if number == 0 { while pool.load < 1 { await Task.yield() } }
            }
            while pool.load < 91 { await Task.yield() }
            group.addTask { try await pool.run(for: "single") { order.add("single") } }
            while pool.load < 92 { await Task.yield() }
            release.raise()
            try await group.waitForAll()
        }
        let place = order.all.firstIndex(of: "single")
        #expect(place.map { $0 <= 2 } == true)
        #expect(order.all.count == 92)
    }

    @Test func `in a full queue the newest call of the crowd gives way`() async throws {
        let pool = BlockingPool(threads: 1, queueLimit: 4)
        let release = BlockingFlag()
        let refused = Noted()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run(for: "crowd") { release.wait() } }
            while pool.load < 1 { await Task.yield() }
            for _ in 0..<4 {
                group.addTask {
                    do { try await pool.run(for: "crowd") {} } catch is BlockingPool.Busy {
                        refused.add("refused")
                    }
                }
            }
            while pool.load < 5 { await Task.yield() }
            await #expect(throws: BlockingPool.Busy()) { try await pool.run(for: "crowd") {} }
            group.addTask { try await pool.run(for: "single") {} }
            while refused.all.isEmpty { await Task.yield() }
            #expect(pool.load == 5)
            release.raise()
            try await group.waitForAll()
        }
        #expect(refused.all == ["refused"])
        #expect(pool.load == 0)
    }

    @Test func `a thousand calls that are cancelled at any moment leave the pool free`() async throws {
        let pool = BlockingPool(threads: 2, queueLimit: 1000)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    let call = Task { try await pool.run(for: "\(number % 7)") {} }
                    if number % 2 == 0 { await Task.yield() }
                    call.cancel()
                    _ = await call.result
                }
            }
        }
        #expect(pool.load == 0)
        #expect(try await pool.run { 1 } == 1)
    }
}

/// Events of any task in order.
private final class Noted: Sendable {
    private let notes = Mutex<[String]>([])
    var all: [String] { notes.withLock { $0 } }
    func add(_ note: String) { notes.withLock { $0.append(note) } }
}
