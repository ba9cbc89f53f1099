import Testing

@testable import StrataTerminal

@Suite struct `Keys of a terminal` {
    private func keys(_ pieces: String...) -> [Key] {
        var decoder = KeyDecoder()
        return pieces.flatMap { decoder.keys(in: Array($0.utf8)) } + decoder.flush()
    }

    @Test func `letters, control keys and arrows are told apart`() {
        #expect(keys("aä漢") == [.character("a"), .character("ä"), .character("漢")])
        #expect(keys("\r\t\u{7F}\u{13}\n") == [.enter, .tab, .backspace, .control("s"), .control("j")])
        #expect(
            keys("\u{1B}[A\u{1B}OB\u{1B}[1~\u{1B}[F\u{1B}[5~\u{1B}[Z") == [.up, .down, .home, .end, .pageUp, .backTab])
    }

    @Test(arguments: ["\u{1B}[6~", "ä", "\u{1B}[200~x\u{1B}[201~", "\u{1B}[1;5A"])
    func `a key that arrives byte by byte is the same key`(text: String) {
        var decoder = KeyDecoder()
        let one = text.utf8.flatMap { decoder.keys(in: [$0]) }
        #expect(one == keys(text))
        #expect(!decoder.isWaiting)
    }

    @Test func `an escape byte alone is the escape key only once nothing follows`() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(in: [0x1B]).isEmpty)
        #expect(decoder.isWaiting)
        #expect(decoder.flush() == [.escape])
        #expect(!decoder.isWaiting)
        #expect(keys("\u{1B}q") == [.escape, .character("q")])
    }

    @Test func `pasted text is no key, whatever it holds`() {
        #expect(keys("\u{1B}[200~q\r\u{1B}[A", "d\u{1B}[201~q") == [.paste("q\r\u{1B}[Ad"), .character("q")])
    }

    @Test func `bytes that are no key are dropped, and the next key is read`() {
        var decoder = KeyDecoder()
        #expect(decoder.keys(in: [0xFF, 0xC3, 0x61, 0xC2, 0x9B, 0x00, 0x62]) == [.character("a"), .character("b")])
        #expect(keys("\u{1B}[99;99Xc\u{1B}[[Ad") == [.character("c"), .character("d")])
        let long = "\u{1B}[" + String(repeating: "1", count: 100)
        #expect(keys(long, "m").contains(.character("m")))
    }
}

@Suite struct `A line that is edited` {
    private func editor(_ text: String, lines: Bool = false, _ keys: Key...) -> LineEditor {
        var editor = LineEditor(text, allowsLines: lines)
        for key in keys { _ = editor.handle(key) }
        return editor
    }

    @Test func `keys insert, move and remove whole characters`() {
        #expect(editor("añ", .left, .character("x")).text == "axñ")
        #expect(editor("e", .character("\u{301}"), .backspace).text == "")
        #expect(editor("one two", .control("w"), .character("x")).text == "one x")
        #expect(editor("one", .home, .delete, .end, .character("s")).text == "nes")
        #expect(editor("one", .left, .control("u")).text == "e")
    }

    @Test func `a line break of a paste is a space where the field has one line`() {
        #expect(editor("", .paste("a\r\nb\u{1B}[2Jc\td")).text == "a b[2Jc d")
        #expect(editor("", lines: true, .paste("a\r\nb"), .control("j")).text == "a\nb\n")
        #expect(!LineEditor().text.contains("\n"))
    }

    @Test func `the part around the cursor is shown`() {
        #expect(editor("short").view(width: 10) == ("short", 5))
        let long = editor(String(repeating: "x", count: 50) + "end").view(width: 10)
        #expect(long == ("…xxxxxend", 9))
        let middle = editor("abcdefghij", .home).view(width: 5)
        #expect(middle == ("abcd…", 0))
        #expect(editor("漢字漢字漢字").view(width: 6).cursor < 6)
    }
}
