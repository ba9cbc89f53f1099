import Testing

@testable import StrataService

@Suite struct LRUTableTests {
    @Test func `a value in use survives a flood of keys, and the table is bounded`() {
        var table = LRUTable<Int>(capacity: 100)
        table[-1] = 10
        for key in 0..<10_000 {
            table[key] = key
            if key % 20 == 0 {
                #expect(table[-1] == 10)
                table[-1] = 10
            }
            #expect(table.count <= 100)
        }
    }
}
