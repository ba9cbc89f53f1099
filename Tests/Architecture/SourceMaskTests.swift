import Testing

/// The mask removes comments and literals, and keeps code and the numbers of lines.
@Suite struct SourceMaskTests {
    private func words(_ text: String) -> [String] {
        Token.tokens(of: SourceMask.code(of: text)).filter(\.isWord).map(\.text)
    }

    @Test(arguments: [
        ("a // b\nc", ["a", "c"]),
        ("a /* b */ c", ["a", "c"]),
        ("a /* b /* c */ d */ e", ["a", "e"]),
        (#"a "b" c"#, ["a", "c"]),
        (#"a "\" b" c"#, ["a", "c"]),
        (#"a "\\" c"#, ["a", "c"]),
        (##"a #"b " \ c"# d"##, ["a", "d"]),
        ("a \"\"\"\nb \" c\n\"\"\" d", ["a", "d"]),
        (#"a "\(b + "c" + "\(d)") e" f"#, ["a", "b", "d", "f"]),
        (##"a #"\(b) \#(c)"# d"##, ["a", "c", "d"]),
        (#"a "\(f(b)(c))" d"#, ["a", "f", "b", "c", "d"]),
        ("a \"unclosed\nb", ["a", "b"]),
        ("a / b / c", ["a", "b", "c"]),
        ("x = /a\"b/\nc", ["x", "c"]),
        (#"x = /a\/b "/"# + "\nc", ["x", "c"]),
        ("a /* unclosed", ["a"]),
        ("\"\"", []),
        ("a \"//\" b", ["a", "b"]),
        ("url(\"https://host/*\") ; b", ["url", "b"]),
        ("#if a\n#endif", ["if", "a", "endif"]),
    ])
    func `the mask keeps code and removes comments and literals`(text: String, expected: [String]) {
        #expect(words(text) == expected)
    }

    @Test func `the mask keeps every line and byte in place`() {
        let text = "é /* ü\n */ \"ö\n\" `ä \" b`\n\"\"\"\n  ß \\(x)\n\"\"\"\nend"
        let code = SourceMask.code(of: text)

        #expect(code.utf8.count == text.utf8.count)
        #expect(code.split(separator: "\n", omittingEmptySubsequences: false).count == 7)
        #expect(Token.tokens(of: code).last?.line == 7)
    }

    @Test func `a raw identifier with quotes and slashes opens no literal`() {
        #expect(words("func `a \"b // c`() { d }").filter { !$0.hasPrefix("_") } == ["func", "d"])
    }

    @Test func `an unfinished file is masked to its end`() {
        for text in ["\"", "\"\"\"", "#\"", "`", "/", "#", "/*", "\"\\", "\"\\(", "#/", "@", "import"] {
            #expect(SourceMask.code(of: text).utf8.count == text.utf8.count)
            _ = SourceFile(path: "File.swift", text: text)
        }
    }
}
