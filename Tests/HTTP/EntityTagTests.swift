import StrataHTTP
import Testing

struct EntityTagTests {
    @Test(arguments: [
        ("\"v1\"", "v1", false), ("W/\"v1\"", "v1", true), ("\"\"", "", false), ("\"a,b\"", "a,b", false),
        ("\"ü\"", "ü", false),
    ])
    func `an entity tag is read and written back`(text: String, opaque: String, isWeak: Bool) throws {
        let tag = try #require(EntityTag(parsing: text))
        #expect(tag.opaque == opaque)
        #expect(tag.isWeak == isWeak)
        #expect(tag.text == text)
    }

    @Test(arguments: [
        "", "v1", "\"", "\"v1", "v1\"", "w/\"v1\"", "W/v1", "\"a\"b\"", "\"a b\"", "\"a\nb\"", "*", "\"a\", \"b\"",
        " \"a\"",
    ])
    func `other text is not an entity tag`(text: String) { #expect(EntityTag(parsing: text) == nil) }

    @Test func `a strong comparison needs two strong tags, a weak one does not`() {
        let (strong, weak) = (EntityTag("1"), EntityTag("1", isWeak: true))
        #expect(strong.stronglyMatches(EntityTag("1")))
        #expect(!strong.stronglyMatches(weak))
        #expect(!weak.stronglyMatches(weak))
        #expect(weak.weaklyMatches(strong))
        #expect(!strong.weaklyMatches(EntityTag("2")))
    }

    @Test func `only a strong tag is read as a version`() {
        #expect(EntityTag(version: 42).version == 42)
        #expect(EntityTag("42", isWeak: true).version == nil)
        #expect(EntityTag("x").version == nil)
        #expect(EntityTag("99999999999999999999").version == nil)
    }

    @Test(arguments: [
        ("\"a\"", "a", false), (" \"a\"\t", "a", false), ("a", "a", false), ("w/\"a\"", "a", true), ("W/a", "a", true),
        ("\"a", "\"a", false), ("\"a b\"", "a b", false),
    ])
    func `a lenient reader accepts what other servers write`(text: String, opaque: String, isWeak: Bool) {
        #expect(EntityTag(lenient: text) == EntityTag(opaque, isWeak: isWeak))
    }

    @Test(arguments: ["", " ", "W/"])
    func `a lenient reader finds no tag in empty text`(text: String) { #expect(EntityTag(lenient: text) == nil) }
}

struct PreconditionTests {
    @Test(arguments: [
        ("\"1\"", IfMatch.tags([EntityTag("1")])), ("*", .any), (" * ", .any),
        ("\"1\", \"2\"", .tags([EntityTag("1"), EntityTag("2")])),
        ("\"1\",\"2\"\t,W/\"3\"", .tags([EntityTag("1"), EntityTag("2"), EntityTag("3", isWeak: true)])),
        (", \"1\",, \"2\" ,", .tags([EntityTag("1"), EntityTag("2")])),
        ("\"a,b\", \"\"", .tags([EntityTag("a,b"), EntityTag("")])), ("\"*\"", .tags([EntityTag("*")])),
    ])
    func `If-Match is an asterisk or a list of tags`(text: String, value: IfMatch) {
        #expect(IfMatch(parsing: [text]) == value)
        #expect(IfMatch(parsing: [value.text]) == value)
    }

    @Test(arguments: [
        "", " ", ",", "1", "\"1", "\"1\" \"2\"", "*, \"1\"", "\"1\", *", "**", "w/\"1\"", "W/ \"1\"", "\"a b\"",
    ])
    func `other text is not an If-Match`(text: String) {
        #expect(IfMatch(parsing: [text]) == nil)
    }

    @Test func `several fields are one list`() {
        let tags = IfMatch.tags([EntityTag("1"), EntityTag("2"), EntityTag("3")])
        #expect(IfMatch(parsing: ["\"1\"", "\"2\", \"3\""]) == tags)
        #expect(IfMatch(parsing: ["*", "\"1\""]) == nil)
        #expect(IfMatch(parsing: []) == nil)
    }

    @Test(arguments: [
        (IfMatch.any, true), (.tags([EntityTag("0"), EntityTag("7")]), true), (.tags([EntityTag("0")]), false),
        (.tags([EntityTag("7", isWeak: true)]), false),
    ])
    func `If-Match names a state by strong comparison`(condition: IfMatch, isAllowed: Bool) {
        #expect(condition.allows(EntityTag(version: 7)) == isAllowed)
    }

    @Test(arguments: [
        ("\"a\"", true), ("W/\"a\"", true), ("\"b\"", false), ("\"b\", \"a\"", true), ("\"x,y\", \"a\"", true),
        ("\"x, \"a\"", false), ("\"x\\\", \"a\"", true), ("*", true), ("a", true), ("", false), (",", false),
        ("\"A\"", false),
    ])
    func `If-None-Match names a state by weak comparison`(field: String, isNamed: Bool) {
        #expect(IfNoneMatch.names(EntityTag("a"), [field]) == isNamed)
        #expect(IfNoneMatch.names(EntityTag("a"), ["\"z\"", field]) == isNamed)
    }

    @Test func `only an asterisk names a state without a tag`() {
        #expect(IfNoneMatch.names(nil, ["*"]))
        #expect(!IfNoneMatch.names(nil, ["\"a\""]))
        #expect(!IfNoneMatch.names(EntityTag("a"), []))
    }
}
