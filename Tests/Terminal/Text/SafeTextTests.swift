import FoundationEssentials
import StrataTerminal
import Testing

struct SafeTextTests {
    @Test(arguments: [
        ("plain text, ünïcode 漢字 👩‍🚒", "plain text, ünïcode 漢字 👩‍🚒"),
        ("\u{1B}[2J\u{1B}]0;owned\u{07}", #"\x1B[2J\x1B]0;owned\x07"#),
        ("a\rb", #"a\rb"#),
        ("a\r\nb", "a\\r\nb"),
        ("\u{9B}31m", #"\x9B31m"#),
        ("\u{7F}\u{00}", #"\x7F\x00"#),
        ("abc\u{202E}txt.exe", #"abc\u{202E}txt.exe"#),
        ("tab\tand\nline", "tab\tand\nline"),
        ("e\u{301}\u{1B}", "e\u{301}\\x1B"),
    ])
    func `control characters are shown as escapes`(text: String, shown: String) {
        #expect(SafeText.escaped(text) == shown)
    }

    @Test func `a cell stays on its line`() {
        #expect(SafeText.oneLine("a\nb\tc\r\n\u{2028}") == #"a\nb\tc\r\n\u{2028}"#)
    }

    @Test func `escaping a JSON document does not change its value`() throws {
        let text = "\u{9B}\u{7F}\u{202E}é\u{1B}"
        let document = String(decoding: try JSONEncoder().encode([text]), as: UTF8.self)
        let safe = SafeText.escapedJSON(document)
        #expect(safe.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        #expect(!safe.contains("\u{202E}"))
        #expect(try JSONDecoder().decode([String].self, from: Data(safe.utf8)) == [text])
    }
}
