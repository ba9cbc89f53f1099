import FoundationEssentials
import StrataTesting
import Testing

@testable import StrataTerminal

@Suite struct `The rows of a list on a screen` {
    private static let window = BrowseRows.windowSize

    /// Rows `first` and on of a list of `total`, as a window has them.
    private func show(_ rows: inout BrowseRows, from first: Int, of total: Int, prefix: String = "row") {
        let ids = (first..<min(total, first + Self.window)).map { "\(prefix)-\($0)" }
        var table = Table([.init("ID")])
        for id in ids { table.add([.init(id)]) }
        rows.show(ids, from: first, table)
    }

    /// All rows of a short list.
    private func show(_ rows: inout BrowseRows, _ ids: [String]) {
        var table = Table([.init("ID")])
        for id in ids { table.add([.init(id)]) }
        rows.show(ids, from: 0, table)
    }

    private func lines(_ rows: inout BrowseRows, height: Int = 3) -> [String] {
        rows.scroll(height: height)
        return rows.lines(width: 12, height: height, times: .utc, now: .noon).map(\.plain)
    }

    @Test func `the cursor scrolls the list, and stops at its ends`() {
        var rows = BrowseRows()
        show(&rows, from: 0, of: 5)
        #expect(lines(&rows) == ["  ID", "> row-0     ", "  row-1", "  row-2"])
        rows.move(by: 3)
        #expect(lines(&rows) == ["  ID", "  row-1", "  row-2", "> row-3     "])
        rows.move(by: 100)
        #expect(rows.selectedID == "row-4")
        rows.move(by: -100)
        #expect(lines(&rows).first { $0.hasPrefix(">") } == "> row-0     ")
    }

    @Test func `a list without rows has no cursor`() {
        var rows = BrowseRows()
        show(&rows, from: 0, of: 0)
        rows.move(by: 1)
        #expect(rows.isEmpty && rows.selectedID == nil)
        #expect(lines(&rows) == ["  ID"])
        #expect(rows.wanted(height: 3) == nil)
    }

    @Test func `the end of a long list is asked for, and shown once it is here`() throws {
        var rows = BrowseRows()
        show(&rows, from: 0, of: 100_000)
        rows.count(100_000)
        #expect(rows.wanted(height: 20) == nil)
        rows.select(.max)
        #expect(rows.selected == 99_999)
        #expect(rows.selectedID == nil)
        #expect(lines(&rows, height: 2).dropFirst() == ["  …", "> …         "])
        let wanted = try #require(rows.wanted(height: 2))
        #expect(wanted.count == Self.window)
        #expect(wanted.contains(99_999))
        show(&rows, from: wanted.lowerBound, of: 100_000)
        #expect(rows.selectedID == "row-99999")
        #expect(rows.count == 100_000)
        #expect(rows.wanted(height: 2) == nil)
    }

    @Test func `an uncounted list grows while one goes down`() throws {
        var rows = BrowseRows()
        show(&rows, from: 0, of: 1000)
        #expect(!rows.isCounted)
        for _ in 0..<20 {
            rows.select(.max)
            rows.scroll(height: 20)
            guard let wanted = rows.wanted(height: 20) else { break }
            show(&rows, from: wanted.lowerBound, of: 1000)
        }
        #expect(rows.selectedID == "row-999")
        #expect(rows.isCounted && rows.count == 1000)
    }

    @Test func `the cursor stays on its row when others come before it`() {
        var rows = BrowseRows()
        show(&rows, from: 0, of: 10)
        rows.move(by: 4)
        rows.scroll(height: 3)
        let before = lines(&rows)
        show(&rows, ["new-1", "new-2"] + (0..<10).map { "row-\($0)" })
        #expect(rows.selectedID == "row-4")
        #expect(lines(&rows) == before)
    }

    @Test func `rows that come before the first one are shown, and the cursor stays on its row`() {
        var rows = BrowseRows()
        show(&rows, from: 0, of: 10)
        rows.hold()
        show(&rows, ["new", "row-0", "row-1", "row-2"])
        #expect(lines(&rows) == ["  ID", "  new", "> row-0     ", "  row-1"])
    }

    @Test func `the cursor is on the newest row until a key is typed`() {
        var rows = BrowseRows()
        show(&rows, from: 0, of: 10)
        show(&rows, ["new-1", "row-0"])
        #expect(rows.selectedID == "new-1")
        rows.hold()
        show(&rows, ["new-2", "new-1", "row-0"])
        #expect(rows.selectedID == "new-1")
        rows.restart()
        show(&rows, ["new-3", "new-2", "new-1", "row-0"])
        #expect(rows.selectedID == "new-3", "another list has no row of the one before")
    }

    @Test func `the cursor goes to a row that was added, before and after it is here`() {
        var rows = BrowseRows()
        show(&rows, from: 0, of: 10)
        rows.move(by: 5)
        rows.follow("row-2")
        #expect(rows.selectedID == "row-2")
        rows.follow("new")
        show(&rows, from: 0, of: 10)
        #expect(rows.selectedID == "row-2")
        show(&rows, ["row-0", "new", "row-1", "row-2"])
        #expect(rows.selectedID == "new")
        rows.follow("never")
        rows.move(by: 1)
        show(&rows, ["never", "row-0", "new", "row-1", "row-2"])
        #expect(rows.selectedID == "row-1", "a key ends the wait")
    }

    @Test func `the cursor of another list is on its first row`() {
        var rows = BrowseRows()
        show(&rows, from: 0, of: 10)
        rows.move(by: 4)
        rows.restart()
        show(&rows, from: 0, of: 10)
        #expect(rows.selectedID == "row-0")
    }

    @Test func `rows that went away take the cursor to the last one`() {
        var rows = BrowseRows()
        show(&rows, from: 0, of: 10)
        rows.select(.max)
        show(&rows, from: 0, of: 4)
        #expect(rows.selectedID == "row-3")
        rows.count(4)
        #expect(rows.count == 4)
    }
}
