import Testing

@testable import StrataNetworking

struct CallIdentifierTests {
    /// What eight tasks draw at once.
    private func drawn<Value: Sendable>(_ draw: @escaping @Sendable () -> Value) async -> [Value] {
        await withTaskGroup(of: [Value].self) { group in
            for _ in 0..<8 { group.addTask { (0..<5_000).map { _ in draw() } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }

    @Test func `names drawn at once are UUIDs of version 4, and none is drawn twice`() async {
        let names = await drawn { CallIdentifiers.uuid() }
        #expect(Set(names).count == 40_000)
        #expect(
            names.allSatisfy { name in
                name.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil
            })
    }

    @Test func `numbers drawn at once are not zero, and none is drawn twice`() async {
        let numbers = await drawn { CallIdentifiers.number() }
        #expect(!numbers.contains(0))
        #expect(Set(numbers).count == 40_000)
    }
}
