import StrataDomain
import Testing

@Suite struct IfMatchTests {
    @Test(arguments: [
        ("\"1\"", IfMatch.tags([EntityTag("1")])), ("*", .any), (" * ", .any),
        ("\"1\", \"2\"", .tags([EntityTag("1"), EntityTag("2")])),
        ("\"1\",\"2\"\t,W/\"3\"", .tags([EntityTag("1"), EntityTag("2"), EntityTag("3", isWeak: true)])),
        (", \"1\",, \"2\" ,", .tags([EntityTag("1"), EntityTag("2")])),
        ("\"a,b\", \"\"", .tags([EntityTag("a,b"), EntityTag("")])), ("\"*\"", .tags([EntityTag("*")])),
    ])
    func `any state or a list of tags is read as it is meant`(text: String, value: IfMatch) {
        #expect(IfMatch(parameter: text) == value)
        #expect(IfMatch(parameter: value.parameter) == value)
    }

    @Test(arguments: [
        "", " ", ",", "1", "\"1", "\"1\" \"2\"", "*, \"1\"", "\"1\", *", "**", "w/\"1\"", "W/ \"1\"", "\"a b\"",
    ])
    func `text that is neither is refused`(text: String) {
        #expect(IfMatch(parameter: text) == nil)
    }

    @Test func `several fields are one list`() throws {
        #expect(
            try IfMatch.read(["\"1\"", "\"2\", \"3\""], place: .header, key: "If-Match")
                == .tags([EntityTag("1"), EntityTag("2"), EntityTag("3")]))
        #expect(throws: EndpointError.self) { try IfMatch.read(["*", "\"1\""], place: .header, key: "If-Match") }
        #expect(throws: EndpointError.self) { try IfMatch.read([], place: .header, key: "If-Match") }
    }

    @Test(arguments: [
        (IfMatch.any, true), (.tags([EntityTag("0"), EntityTag("7")]), true), (.tags([EntityTag("0")]), false),
        (.tags([EntityTag("7", isWeak: true)]), false),
    ])
    func `a write goes on from a state that is named strongly`(condition: IfMatch, isAllowed: Bool) {
        #expect(condition.allows(EntityTag(version: 7)) == isAllowed)
    }
}
