import StrataDomain
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

struct VaryTests {
    private func matches(
        _ vary: [String], stored: [(String, String)], asked: [(String, String)], language: String? = nil
    ) -> Bool {
        var fields = HeaderFields(vary.map { ("Vary", $0) })
        if let language { fields.add("Content-Language", language) }
        let then = HeaderFields(stored)
        let response = StoredResponse(
            status: 200, fields: fields, selecting: Vary.selecting(fields, request: then),
            requestTime: clockStart, responseTime: clockStart)
        return Vary.matches(response, HeaderFields(asked))
    }

    @Test(
        arguments: [
            ([], [("Foo", "1")], [("Foo", "2")], true), (["Foo"], [("Foo", "1")], [("Foo", "1")], true),
            (["Foo"], [("Foo", "1")], [("Foo", "2")], false), (["Foo"], [], [("Foo", "1")], false),
            (["Foo"], [("Foo", "1")], [], false), (["Foo"], [], [], true),
            (["foo"], [("FOO", "1")], [("Foo", "1")], true),
            (["Foo"], [("Foo", "1"), ("Other", "2")], [("Foo", "1"), ("Other", "3")], true),
            (["Foo, Bar"], [("Foo", "1"), ("Bar", "a")], [("Foo", "1"), ("Bar", "a")], true),
            (["Foo, Bar"], [("Foo", "1"), ("Bar", "a")], [("Foo", "1"), ("Bar", "b")], false),
            (["Foo", "Bar"], [("Foo", "1"), ("Bar", "a")], [("Foo", "1"), ("Bar", "b")], false),
            (["Foo, Bar, Baz"], [("Foo", "1"), ("Baz", "3")], [("Baz", "3"), ("Foo", "1")], true),
            (["Foo"], [("Foo", "1, 2")], [("Foo", "1"), ("Foo", "2")], true),
            (["Foo"], [("Foo", "1,2")], [("Foo", " 1, 2 ")], true),
            (["Foo"], [("Foo", "1,2")], [("Foo", "2,1")], false),
            (["Foo"], [("Foo", "a")], [("Foo", "A")], false), (["Foo"], [("Foo", "")], [], false),
            (["*"], [], [], false), (["Foo, *"], [("Foo", "1")], [("Foo", "1")], false), (["", "*"], [], [], false),
            (["Foo, Foo, foo"], [("Foo", "1")], [("Foo", "1")], true), ([","], [], [], true),
            (["not a name"], [], [], false),
        ] as [([String], [(String, String)], [(String, String)], Bool)])
    func `a stored response answers requests with its selecting fields`(
        vary: [String], stored: [(String, String)], asked: [(String, String)], expected: Bool
    ) {
        #expect(matches(vary, stored: stored, asked: asked) == expected)
    }

    @Test(arguments: [
        ("en, de", "de, en", true), ("en, de", "eN, De", true), ("en, de", " en ,   de", true), ("en", "de", false),
        ("en;q=0.5, de", "de, en;q=0.5", true), ("en;q=0.5, de", "en, de;q=0.5", false),
        ("en;q=1, de", "en, de;q=1.0", true),
        ("en;q=nan", "en;q=inf", true), ("en;q=9", "en", true), ("", "", true), (",", "", true),
    ])
    func `languages match whatever their order and case`(stored: String, asked: String, expected: Bool) {
        let field = "Accept-Language"
        #expect(matches([field], stored: [(field, stored)], asked: [(field, asked)]) == expected)
    }

    @Test(arguments: [
        ("fr;q=0.5, de;q=1.0", "de", true), ("fr, de;q=0.5", "de", false), ("fr, de", "de", false),
        ("de", "de, en", false),
        ("de;q=0", "de", false), ("*", "de", false), ("DE", "de", true),
    ])
    func `a response in the preferred language matches`(asked: String, language: String, expected: Bool) {
        let stored = [("Accept-Language", "en, de")]
        #expect(
            matches(["Accept-Language"], stored: stored, asked: [("Accept-Language", asked)], language: language)
                == expected)
    }
}
