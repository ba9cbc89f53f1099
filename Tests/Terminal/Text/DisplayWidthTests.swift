import Testing

@testable import StrataTerminal

struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("한글", 4), ("👩‍🚒", 2), ("🇩🇪", 2), ("ﬁ", 1),
        ("\u{200B}", 0), ("Ａ", 2), ("✔️", 2), ("…", 1),
    ])
    func `wide characters count two cells and combining ones none`(text: String, cells: Int) {
        #expect(DisplayWidth.cells(text) == cells)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("漢字漢字", 5, "漢字…"), ("漢字漢字", 4, "漢…"), ("abc", 1, "…"),
        ("abc", 0, ""), ("", 0, ""), ("👩‍🚒👩‍🚒", 3, "👩‍🚒…"),
    ])
    func `a text is cut between characters`(text: String, width: Int, cut: String) {
        #expect(DisplayWidth.cut(text, to: width) == cut)
        #expect(DisplayWidth.cells(DisplayWidth.cut(text, to: width)) <= width)
    }
}
