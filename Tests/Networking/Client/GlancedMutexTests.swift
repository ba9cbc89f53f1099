import StrataTesting
import Testing

@testable import StrataNetworking

struct GlancedMutexTests {
    private final class Counted: Sendable {
        let names = GlancedMutex<Set<Int>>([], glance: \.count)
    }

    @Test func `the glance is what the last change has left`() {
        let counted = Counted()
        #expect(counted.names.glance == 0)
        counted.names.withLock { $0 = [1, 2, 3] }
        #expect(counted.names.glance == 3)
        #expect(counted.names.withLock { $0.remove(2) } == 2)
        #expect(counted.names.glance == 2)
        counted.names.withLock { $0 = [] }
        #expect(counted.names.glance == 0)
    }

    @Test func `whoever has put something in sees that it is not empty, whatever the others do`() async {
        let counted = Counted()
        let missed = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<2_000).count { round in
                        let name = task * 2_000 + round
                        _ = counted.names.withLock { $0.insert(name) }
                        defer { _ = counted.names.withLock { $0.remove(name) } }
                        return counted.names.glance == 0
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(missed == 0)
        #expect(counted.names.glance == 0)
    }
}
