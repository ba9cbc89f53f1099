import Testing

@testable import ScaffoldKit

/// The grammar of `--fields`.
struct FieldParserTests {
    @Test(arguments: [
        "title:string(1..200)", "code:string(3..3):unique", "note:text?", "count:int", "count:int(-5..5)?",
        "load:double", "done:bool", "startedAt:date:sort", "device:uuid", "page:url?", "severity:enum(low,high):filter",
        "runbook:reference(Runbook)?", "team:reference(Team,cascade):sort", "team:reference(Team,clear)?",
        "secret:text?:unique:redact:search", "tags:list(string(1..40)):filter", "sizes:list(int(0..9))?",
        "loads:list(double)", "days:list(enum(mon,tue)):filter",
    ])
    func `a field is written as it is read`(text: String) throws {
        #expect(try FieldParser.parse(text).map(\.description) == [text])
    }

    @Test func `every part of a field is read`() throws {
        let fields = try FieldParser.parse(
            "title:string level:int(0..9):filter:unique, state:enum( open , shut )?:redact\nrunbook:reference( Runbook )"
        )

        #expect(
            fields == [
                Field("title", .string(1...200)), Field("level", .int(0...9), [.unique, .filter]),
                Field("state", .choice(["open", "shut"]), isOptional: true, [.redact]),
                Field("runbook", .reference("Runbook")),
            ])
    }

    @Test func `a reference restricts the deletion of what it names unless it says otherwise`() throws {
        let fields = try FieldParser.parse(
            "team:reference(Team, restrict) crew:reference(Team) hut:reference(Hut, cascade)")

        #expect(
            fields == [
                Field("team", .reference("Team", .restrict)), Field("crew", .reference("Team", .restrict)),
                Field("hut", .reference("Hut", .cascade)),
            ])
        #expect(
            fields.map(\.description) == ["team:reference(Team)", "crew:reference(Team)", "hut:reference(Hut,cascade)"])
    }

    @Test func `a list has elements of one kind`() throws {
        let fields = try FieldParser.parse("tags:list(string), days:list( enum( mon, tue ) )?:filter ids:list(int)")

        #expect(
            fields == [
                Field("tags", .list(.string(1...200))),
                Field("days", .list(.choice(["mon", "tue"])), isOptional: true, [.filter]),
                Field("ids", .list(.int(nil))),
            ])
        #expect(
            fields.map { $0.row() } == [
                #".init("tags", \.tags, .list(of: .line(1...200)))"#, #".init("days", \.days, .list()).filterable"#,
                #".init("ids", \.ids, .list())"#,
            ])
        #expect(fields.map(\.property) == ["var tags: [String]", "var days: [Days]?", "var ids: [Int]"])
        #expect(fields.map(\.choices) == [nil, "enum Days: String, FieldChoice { case mon, tue }", nil])
    }

    @Test func `no text is no field`() throws { #expect(try FieldParser.parse(" \n ") == []) }

    @Test(arguments: [
        ("title", "NAME:KIND"), ("title:", "NAME:KIND"), (":text", "NAME:KIND"), ("Title:text", "small letter"),
        ("1a:text", "small letter"), ("a:strin", "kinds are"), ("a:varchar", "kinds are"), ("a:text b", "'b'"),
        ("a:text;b:text", "NAME:KIND"), ("a:text a:int", "another field"), ("aB:text ab:int", "another field"),
        ("a:string(1..)", "0 to 65536"), ("a:string(9..1)", "0 to 65536"), ("a:string(1..9", "NAME:KIND"),
        ("a:string(0..99999999)", "65536"), ("a:int(1..99999999999999999999)", "no range"), ("a:enum", "kinds are"),
        ("a:enum()", "each choice"), ("a:enum(low,low)", "each choice"), ("a:enum(Low)", "each choice"),
        ("a:reference", "kinds are"), ("a:reference(runbook)", "kinds are"),
        ("a:reference(Team,none)", "rules are restrict, cascade, clear"), ("a:reference(Team,)", "no rule"),
        ("a:reference(Team,clear,clear)", "no name of an entity"), ("a:reference(User,cascade)", "no entity"),
        ("a:text(3)", "kinds are"),
        ("a:text:uniq", "':uniq'"), ("a:text:unique:unique", "twice"), ("a:text:unique?", "NAME:KIND"),
        ("a:int:search", "searched"), ("a:text:sort", "1000 bytes"), ("a:string(1..2000):sort", "1000 bytes"),
        ("a:list", "kinds are"), ("a:list()", "a list has"), ("a:list(text)", "a list has"),
        ("a:list(date)", "a list has"), ("a:list(list(int))", "a list has"), ("a:list(enum(low,low))", "each choice"),
        ("a:list(string(9..1))", "0 to 65536"), ("a:list(int):sort", "no order"), ("a:list(string):search", "searched"),
        ("a:list(int", "NAME:KIND"),
        ("a:text??", "NAME:KIND"), ("tïtle:text", "NAME:KIND"), ("а:text", "\\u{430}"),
        ("a:text $(touch x)", "NAME:KIND"), ("a:text'", "NAME:KIND"), ("a:int(\u{7}1..2)", "no range"),
    ])
    func `what cannot be read is refused with the field, the reason and one that works`(
        text: String, reason: String
    ) throws {
        let error = #expect(throws: ScaffoldRefusal.self) { try FieldParser.parse(text) }

        let message = try #require(error?.description)
        #expect(message.hasPrefix("The field '") && message.contains(reason), "\(message)")
        #expect(error?.exitCode == .usage)
        let works = try #require(message.firstRange(of: "This works: '")).upperBound
        #expect(try FieldParser.parse(String(message[works...].prefix { $0 != "'" })).count == 1, "\(message)")
    }

    @Test func `text without end is refused`() {
        #expect(refusal { _ = try FieldParser.parse(String(repeating: "a:text ", count: 2000)) }.contains("8192"))
        let many = (0...40).map { "f\($0):int" }.joined(separator: " ")
        #expect(refusal { _ = try FieldParser.parse(many) }.contains("at most 40"))
    }
}
