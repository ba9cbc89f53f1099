import StrataConcurrency
import Testing

struct PermitsTests {
    @Test func `each key has its own permits, and a permit returns when its value is released`() {
        let permits = Permits(limit: 2)
        var held = (0..<2).compactMap { _ in permits.take(for: "user:a") }
        #expect(held.count == 2)
        #expect(permits.take(for: "user:a") == nil)
        #expect(permits.take(for: "user:b") != nil)
        held.removeFirst()
        held += [permits.take(for: "user:a")].compactMap { $0 }
        #expect(held.count == 2)
        #expect(permits.take(for: "user:a") == nil)
    }
}
