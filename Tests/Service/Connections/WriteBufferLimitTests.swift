import StrataConcurrency
import Testing

@testable import StrataService

struct WriteBufferLimitTests {
    private let limit = WriteBufferLimit(limit: 1000)
    private let closed = ClosedConnections()

    private func set(_ bytes: Int, _ id: Int, at seconds: Int, hasTaken: Bool = false) {
        limit.update(bytes, of: id, hasProgressed: hasTaken, at: .seconds(seconds)) { [closed] in closed.add(id) }
    }

    @Test func `waiting bytes are counted once, and no longer when they are read`() {
        set(300, 1, at: 0)
        set(400, 1, at: 1)
        set(200, 2, at: 1)
        #expect(limit.total == 600)
        set(0, 1, at: 2)
        #expect(limit.total == 200)
        #expect(closed.ids == [])
    }

    @Test func `above the bound the slowest reader is closed, and no more than needed`() {
        set(400, 1, at: 0)
        set(400, 2, at: 0)
        set(400, 2, at: 5, hasTaken: true)
        set(400, 3, at: 10)
        #expect(closed.ids == [1])
        #expect(limit.total == 800)
    }

    @Test func `a reader with recent progress is spared up to twice the bound`() {
        for id in 1...5 { set(400, id, at: 10, hasTaken: true) }
        #expect(closed.ids == [])
        set(1, 6, at: 10)
        #expect(closed.ids.count == 1)
        #expect(limit.total <= 2000)
    }
}

/// Records which connections were closed.
private final class ClosedConnections: Sendable {
    private let closed = Mutex<[Int]>([])
    var ids: [Int] { closed.withLock { $0 } }
    func add(_ id: Int) { closed.withLock { $0.append(id) } }
}
