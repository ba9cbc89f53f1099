import StrataDomain
import StrataTesting
import Testing

struct ThreeWayMergeTests {
    private let a = JSONValue.string("a"), b = JSONValue.string("b"), c = JSONValue.string("c")

    private func merge(base: JSONValue?, local: JSONValue?, remote: JSONValue?) -> ThreeWayMerge.Outcome {
        func row(_ value: JSONValue?) -> [String: JSONValue] { value.map { ["f": $0] } ?? [:] }
        return ThreeWayMerge.merge(base: row(base), local: row(local), remote: row(remote))
    }

    @Test func `untouched fields take the remote value`() {
        let outcome = merge(base: a, local: nil, remote: b)
        #expect(outcome.merged == ["f": b])
        #expect(outcome.localEdits.isEmpty)
        #expect(outcome.conflicts.isEmpty)
    }

    @Test func `a field that changed locally keeps the local value and is sent`() {
        let outcome = merge(base: a, local: b, remote: a)
        #expect(outcome.merged == ["f": b])
        #expect(outcome.localEdits == ["f": b])
        #expect(outcome.conflicts.isEmpty)
    }

    @Test func `a field that changed remotely takes the remote value, even if a local edit set it to its base value`() {
        let outcome = merge(base: a, local: a, remote: b)
        #expect(outcome.merged == ["f": b])
        #expect(outcome.localEdits.isEmpty)
        #expect(outcome.conflicts.isEmpty)
    }

    @Test func `the same change on both sides is no conflict`() {
        let outcome = merge(base: a, local: b, remote: b)
        #expect(outcome.merged == ["f": b])
        #expect(outcome.localEdits.isEmpty)
        #expect(outcome.conflicts.isEmpty)
    }

    @Test func `different changes are a conflict, and the local value stays until the user resolves it`() {
        let outcome = merge(base: a, local: b, remote: c)
        #expect(outcome.merged == ["f": b])
        #expect(outcome.localEdits == ["f": b])
        #expect(outcome.conflicts == ["f"])
    }

    @Test func `an absent field equals null`() {
        #expect(merge(base: nil, local: .null, remote: nil).conflicts.isEmpty)
        #expect(merge(base: nil, local: .null, remote: nil).localEdits.isEmpty)
        #expect(merge(base: .null, local: b, remote: nil).conflicts.isEmpty)
        #expect(merge(base: nil, local: b, remote: c).conflicts == ["f"])
        #expect(merge(base: a, local: .null, remote: b).conflicts == ["f"])
        #expect(merge(base: a, local: .null, remote: nil).conflicts.isEmpty)
    }

    @Test func `conflicts are sorted, and other fields merge around them`() {
        let outcome = ThreeWayMerge.merge(
            base: ["x": a, "y": a, "z": a, "w": a], local: ["z": b, "x": b, "y": b],
            remote: ["x": c, "y": a, "z": c, "w": c, "v": a])
        #expect(outcome.conflicts == ["x", "z"])
        #expect(outcome.merged == ["x": b, "y": b, "z": b, "w": c, "v": a])
    }

    /// Merges the remaining local edits with the same remote row again.
    @Test func `a second merge changes nothing`() {
        var random = SeededRandom(seed: 5)
        let values: [JSONValue] = [.null, a, b, c]
        func row(_ random: inout SeededRandom) -> [String: JSONValue] {
            Dictionary(
                uniqueKeysWithValues: ["p", "q", "r"].compactMap { field in
                    Int.random(in: 0...3, using: &random) == 0
                        ? nil : (field, values.randomElement(using: &random) ?? .null)
                })
        }
        for _ in 0..<5000 {
            let (base, local, remote) = (row(&random), row(&random), row(&random))
            let once = ThreeWayMerge.merge(base: base, local: local, remote: remote)
            let again = ThreeWayMerge.merge(base: remote, local: once.localEdits, remote: remote)
            #expect(again.merged == once.merged)
            #expect(again.localEdits == once.localEdits)
            #expect(again.conflicts.isEmpty)
        }
    }
}
