import Testing

@testable import ScaffoldKit

/// The grammar of `--fields`.
@Suite struct FieldParserTests {
    @Test(arguments: [
        "title:string(1..200)", "code:string(3..3):unique", "note:text?", "count:int", "count:int(-5..5)?",
        "load:double", "done:bool", "startedAt:date", "device:uuid", "page:url?", "severity:enum(low,high)",
        "runbook:reference(Runbook)?", "secret:text?:unique:redact",
    ])
    func `a field is written as it is read`(text: String) throws {
        let fields = try FieldParser.parse(text)

        #expect(fields.map(\.description) == [text])
    }

    @Test func `every part of a field is read`() throws {
        let fields = try FieldParser.parse(
            "title:string level:int(0..9):unique, state:enum( open , shut )?:redact\nrunbook:reference( Runbook )")

        #expect(
            fields == [
                Field("title", .string(1...200)), Field("level", .int(0...9), isUnique: true),
                Field("state", .choice(["open", "shut"]), isOptional: true, isRedacted: true),
                Field("runbook", .reference(FeatureReference(entity: "Runbook", module: "Runbooks"))),
            ])
    }

    @Test func `no text is no field`() throws { #expect(try FieldParser.parse(" \n ") == []) }

    @Test(arguments: [
        ("title", 6, "no kind"), ("title:", 7, "the end"), (":text", 1, "no name"), ("Title:text", 1, "small letter"),
        ("1a:text", 1, "no name"), ("a:strin", 3, "'strin'"), ("a:varchar", 3, "'varchar'"), ("a:text b", 9, "no kind"),
        ("a:text;b:text", 7, "not expected"), ("a:text a:int", 8, "twice"), ("a:text A:int", 8, "small letter"),
        ("aB:text ab:int", 9, "twice"), ("a:string(1..)", 13, "no whole number"), ("a:string(1-9)", 11, "'..'"),
        ("a:string(9..1)", 10, "more than"), ("a:string(1..9", 14, "the end"), ("a:string(0..99999999)", 3, "65536"),
        ("a:int(1..99999999999999999999)", 10, "no whole number"), ("a:enum", 7, "no words"),
        ("a:enum()", 8, "no word"), ("a:enum(low,low)", 12, "twice"), ("a:enum(Low)", 8, "small letter"),
        ("a:enum(low high)", 12, "')'"), ("a:reference", 12, "no feature"), ("a:reference(runbook)", 13, "capital"),
        ("a:text:uniq", 8, "'uniq'"), ("a:text:unique:unique", 15, "each once"), ("a:text:unique?", 14, "not expected"),
        ("a:text??", 8, "not expected"), ("tïtle:text", 2, "no kind"), ("а:text", 1, "\\u{430}"),
        ("a:text $(touch x)", 8, "no name"), ("a:text'", 7, "not expected"), ("a:int(\u{7}1..2)", 7, "\\u{7}"),
    ])
    func `what cannot be read is named, with its column and a line that works`(
        text: String, column: Int, reason: String
    ) throws {
        let message = refusal { _ = try FieldParser.parse(text) }

        #expect(message.hasPrefix("Fields, column \(column): "), "\(message)")
        #expect(message.contains(reason), "\(message)")
        let works = try #require(message.firstRange(of: "This works: '")).upperBound
        let line = message[works...].prefix { $0 != "'" }
        #expect(try FieldParser.parse(String(line)).isEmpty == false, "\(line)")
    }

    @Test func `text without end is refused`() {
        #expect(refusal { _ = try FieldParser.parse(String(repeating: "a:text ", count: 2000)) }.contains("8192"))
        let many = (0...40).map { "f\($0):int" }.joined(separator: " ")
        #expect(refusal { _ = try FieldParser.parse(many) }.contains("at most 40"))
        #expect(
            refusal { _ = try FieldParser.parse(String(repeating: "a", count: 300) + ":int") }.contains("300 letters"))
    }
}
