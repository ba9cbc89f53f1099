import Foundation
import StrataHTTP
import Testing

struct SyntaxTests {
    @Test func `bytes in hex are two digits each, in lower case`() {
        #expect([0x00, 0x0F, 0xA0, 0xFF].hex == "000fa0ff")
        #expect([UInt8]().hex == "")
    }

    @Test func `a UUID is in lower case`() throws {
        let uuid = try #require(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"))
        #expect(uuid.text == "6ba7b810-9dad-11d1-80b4-00c04fd430c8")
    }

    @Test(arguments: [
        ("a, b,c", ["a", "b", "c"]), ("", []), (" , ,\t", []), ("a;q=\"1,2\", b", ["a;q=\"1,2\"", "b"]),
        ("\"a\\\",b\", c", ["\"a\\\",b\"", "c"]), ("a=\"b, c", ["a=\"b", "c"]),
    ])
    func `commas separate the elements of a list, except inside quotes`(line: String, elements: [String]) {
        #expect(FieldList.elements([line]) == elements)
        #expect(FieldList.elements(["x", line]) == ["x"] + elements)
    }

    @Test func `a backslash escapes a quote only in a field with escapes`() {
        #expect(FieldList.elements(["\"a\\\", \"b\""], escapes: false) == ["\"a\\\"", "\"b\""])
    }

    @Test(.timeLimit(.minutes(1))) func `a list of unclosed quotes is read in one pass`() {
        let line = String(repeating: "\"\\", count: 200_000)
        #expect(FieldList.elements([line]).count == 1)
    }

    @Test(arguments: [
        (" a\t", "a"), ("", ""), (" \t ", ""), ("a b", "a b"), ("\u{A0}a", "\u{A0}a"), ("ä ", "ä"),
    ])
    func `spaces and tabs at both ends are trimmed`(text: String, trimmed: String) {
        #expect(text.trimmed == trimmed)
    }

    @Test(
        arguments: [
            ("0", 0), ("007", 7), ("99", 99), ("100", 99), ("99999999999999999999", 99), ("", nil), ("-1", nil),
            ("+1", nil), ("1.0", nil), ("１", nil), (" 1", nil),
        ] as [(String, Int?)])
    func `a decimal has digits only, and is at most its limit`(text: String, number: Int?) {
        #expect(text.decimal(upTo: 99) == number)
    }

    @Test func `a number too large for an integer is the largest integer`() {
        #expect("9223372036854775808".decimal() == .max)
        #expect("99999999999999999999999999999".decimal() == .max)
    }

    @Test(
        arguments: [
            ("application/json", "application/json"), ("Text/HTML; charset=x", "text/html"), (" a/b ;c", "a/b"),
            ("application/vnd.a+json", "application/vnd.a+json"), ("", nil), ("text", nil), ("text/", nil),
            ("/plain", nil), ("a/b/c", nil), ("text/plain\r\nX: y", nil), ("text/pläin", nil), (";", nil),
            ("text/" + String(repeating: "x", count: 123), nil),
        ] as [(String, String?)])
    func `a media type is two tokens`(field: String, essence: String?) {
        #expect(MediaType.validEssence(field) == essence)
        if let essence { #expect(MediaType.essence(field) == essence) }
    }

    @Test(arguments: [
        ("a", true), ("----x'()+_,./:=?9", true), ("a b", true), (String(repeating: "x", count: 70), true), ("", false),
        ("a ", false), (String(repeating: "x", count: 71), false), ("a;b", false), ("a\"", false), ("ä", false),
    ])
    func `a boundary has 1 to 70 characters of RFC 2046`(text: String, isBoundary: Bool) {
        #expect(MediaType.isBoundary(text) == isBoundary)
    }

    @Test func `a JSON media type is application/json or has the suffix json`() {
        for type in ["application/json", "Application/JSON; charset=utf-8", "application/problem+json"] {
            #expect(MediaType.isJSON(type))
        }
        for type in ["", "text/json", "application/jsonl"] { #expect(!MediaType.isJSON(type)) }
    }
}
