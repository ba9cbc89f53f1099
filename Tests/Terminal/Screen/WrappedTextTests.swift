import Testing

@testable import StrataTerminal

@Suite struct `Text in lines of a width` {
    @Test(arguments: ["one\ntwo", "one\r\ntwo"])
    func `every line break ends a line`(text: String) {
        #expect(WrappedText.lines(text, width: 20) == ["one", "two"])
    }

    @Test func `a carriage return alone is shown`() {
        #expect(WrappedText.lines("one\rtwo", width: 20) == [#"one\rtwo"#])
    }

    @Test func `a word that is wider than a line is divided`() {
        #expect(WrappedText.lines("a bcdefg", width: 4) == ["a", "bcde", "fg"])
    }
}
