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
        #expect(table.lines(width: 24, colored: false) == ["ID          TEXT", "0123456789  a rather lo…"])
    }

    @Test func `an id is never cut, for it is copied`() {
        var table = Table([.init("ID", isWhole: true), .init("TIME"), .init("TEXT", isFlexible: true)])
        table.add(["0123456789", "2026-11-21", "a rather long text"])
        #expect(table.lines(width: 24, colored: false).last == "0123456789  2026…  a ra…")
        #expect(table.lines(width: 5, colored: false).last?.hasPrefix("0123456789") == true)
    }

    @Test(arguments: 1...60) func `no line is wider than the terminal while cells can shrink`(width: Int) {
        var table = Table([.init("ID"), .init("漢字"), .init("TEXT", isFlexible: true)])
        table.add(["0123456789", "漢字漢字", "a rather long text that does not fit"])
        for line in table.lines(width: width, colored: false) where width >= 7 {
            #expect(DisplayWidth.cells(line) <= width)
        }
    }

    @Test func `a cell cannot break its line or speak to the terminal`() {
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
