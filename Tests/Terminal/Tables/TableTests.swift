import FoundationEssentials
import StrataTesting
import Testing

@testable import StrataTerminal

struct TableTests {
    @Test func `columns are as wide as their widest cell`() {
        var table = Table([.init("ID"), .init("COUNT", isRightAligned: true), .init("TEXT")])
        table.add(["a", "7", "first"])
        table.add(["long-id", "12345678", "second"])
        #expect(
            table.lines(width: nil, colored: false) == [
                "ID          COUNT  TEXT", "a               7  first", "long-id  12345678  second",
            ])
    }

    @Test func `wide characters take two cells`() {
        var table = Table([.init("A"), .init("B")])
        table.add(["漢字", "x"])
        table.add(["ab", "y"])
        #expect(table.lines(width: nil, colored: false) == ["A     B", "漢字  x", "ab    y"])
    }

    @Test func `a narrow terminal takes from the flexible column first`() {
        var table = Table([.init("ID"), .init("TEXT", isFlexible: true)])
        table.add(["0123456789", "a rather long text that does not fit"])
        #expect(
            table.lines(width: 38, colored: false) == ["ID          TEXT", "0123456789  a rather long text that d…"])
        #expect(table.lines(width: 24, colored: false) == ["ID        TEXT", "0123456…  a rather long…"])
    }

    @Test func `a wrapped column continues a cell that is too wide on further lines of its row`() {
        var table = Table([.init("ID"), .init("TEXT", isFlexible: true).wrapped, .init("TO").wrapped])
        table.add(["one", "a text that does not fit", "x"])
        table.add(["two", "short", "y"])
        #expect(
            table.lines(width: 19, colored: false) == [
                "ID   TEXT        TO", "one  a text      x", "     that does   ", "     not fit     ",
                "two  short       y",
            ])
        #expect(table.lines(width: nil, colored: false)[1] == "one  a text that does not fit  x")
    }

    @Test(arguments: 1...60) func `wrapped columns keep each character at any width`(width: Int) {
        let texts = ["abcdefghijklmnopqrstuvwxyz", "漢字漢字漢字漢字漢字"]
        var table = Table(texts.map { _ in .init("").wrapped })
        table.add(texts.map { .init($0) })
        let lines = table.lines(width: width, colored: false)
        for text in texts {
            #expect(lines.joined().filter { text.contains($0) } == text)
        }
        #expect(lines.allSatisfy { DisplayWidth.cells($0) <= max(6, width) })
    }

    @Test func `ids and numbers are never cut`() {
        var table = Table([
            .init("FILE", isWhole: true), .init("COUNT", isRightAligned: true), .init("TEXT", isFlexible: true),
        ])
        table.add(["0123456789", "1234567", "a rather long text"])
        #expect(table.lines(width: 25, colored: false).last == "0123456789  1234567  a r…")
        #expect(table.lines(width: 5, colored: false).last == "0123456789  1234567  …")
    }

    private let ids = ["019a9a3e-1f00-7000-8000-00000b77e01d", "019a9a3e-1f00-7000-8000-00000c77e01e"]
    private let noon = Date.noon

    @Test func `ids and times are short on a terminal and whole elsewhere`() {
        var table = Table([.id("ID"), .time("TIME"), .time("USED")])
        table.add([.init(ids[0]), .init(noon), .init(nil, missing: "never")])
        #expect(
            table.lines(width: 80, colored: false) == ["ID       TIME UTC     USED", "b77e01d  11-21 12:00  never"])
        #expect(
            table.lines(width: nil, colored: false) == [
                "ID                                    TIME                  USED",
                "\(ids[0])  2026-11-21 12:00:00Z  never",
            ])
    }

    @Test func `times have a year if one of them is not of this year`() {
        var table = Table([.time("TIME")])
        table.add([.init(noon)])
        table.add([.init(noon.addingTimeInterval(-86_400 * 365))])
        #expect(table.lines(width: 80, colored: false) == ["TIME UTC", "2026-11-21 12:00", "2025-11-21 12:00"])
    }

    @Test func `the heading of local times does not name UTC`() {
        var table = Table([.time("TIME")])
        table.add([.init(noon)])
        let times = TimeText { _ in 3600 }
        #expect(table.lines(width: 80, colored: false, times: times, now: noon) == ["TIME", "11-21 13:00"])
        #expect(
            table.lines(width: nil, colored: false, times: times, now: noon) == ["TIME", "2026-11-21 13:00:00+01:00"])
    }

    @Test func `the id of a child begins with the end of its parent's id`() {
        var table = Table([.id("ID", of: ids[1])])
        table.add([.init(ids[0])])
        #expect(table.lines(width: 80, colored: false).last == "c77e01e/b77e01d")
        #expect(table.lines(width: nil, colored: false).last == ids[0])
    }

    @Test func `a narrow terminal uses the narrow titles and texts`() {
        var table = Table([.init("SEVERITY", narrow: "SEV"), .init("TEXT")])
        table.add([.init("critical", narrow: "crit"), "x"])
        #expect(table.lines(width: 71, colored: false) == ["SEV   TEXT", "crit  x"])
        #expect(table.lines(width: 72, colored: false) == ["SEVERITY  TEXT", "critical  x"])
        #expect(table.lines(width: nil, colored: false) == ["SEVERITY  TEXT", "critical  x"])
    }

    @Test(arguments: [60, 80]) func `a journal in a narrow terminal keeps its columns`(width: Int) throws {
        var table = Table([.id("ID"), .time("TIME"), .init("HOST"), .init("SEVERITY"), .init("TEXT", isFlexible: true)])
        table.add([
            .init(ids[0]), .init(noon), "a-rather-long-host-name", "critical",
            .init(String(repeating: "text ", count: 9)),
        ])
        let lines = table.lines(width: width, colored: false)
        #expect(lines.allSatisfy { DisplayWidth.cells($0) <= width })
        let text = try #require(lines.last)
        #expect(text.hasPrefix("b77e01d  11-21 12:00  ") && text.contains("  critical  text text text"))
    }

    @Test(arguments: 1...60) func `no line is wider than the terminal while cells can shrink`(width: Int) {
        var table = Table([.init("ID"), .init("漢字"), .init("TEXT", isFlexible: true)])
        table.add(["0123456789", "漢字漢字", "a rather long text that does not fit"])
        for line in table.lines(width: width, colored: false) where width >= 7 {
            #expect(DisplayWidth.cells(line) <= width)
        }
    }

    @Test func `line breaks and escape sequences in a cell are made visible`() {
        var table = Table([.init("TEXT")])
        table.add([.init("one\ntwo\u{1B}[2J")])
        #expect(table.lines(width: nil, colored: false) == ["TEXT", #"one\ntwo\x1B[2J"#])
    }

    @Test func `colour does not move the columns`() {
        var table = Table([.init("A"), .init("B")])
        table.add([.init("x", .red), .init("y")])
        #expect(
            table.lines(width: nil, colored: true) == [
                "\u{1B}[1mA\u{1B}[0m  \u{1B}[1mB\u{1B}[0m", "\u{1B}[31mx\u{1B}[0m  y",
            ])
    }

    @Test func `missing cells are empty and surplus ones left out`() {
        var table = Table([.init("A"), .init("B")])
        table.add(["1"])
        table.add(["1", "2", "3"])
        #expect(table.lines(width: nil, colored: false) == ["A  B", "1  ", "1  2"])
    }
}

extension Table {
    /// At noon of 2026-11-21, in UTC.
    func lines(width: Int?, colored: Bool) -> [String] {
        lines(width: width, colored: colored, times: .utc, now: Date.noon)
    }
}
