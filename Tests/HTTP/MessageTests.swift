import FoundationEssentials
import StrataHTTP
import Testing

struct MessageTests {
    @Test func `header names compare without case, and repeated ones are kept in order`() {
        var fields: HeaderFields = ["Link": "a", "X": "1", "link": "b"]
        #expect(fields["LINK"] == "a")
        #expect(fields.values("Link") == ["a", "b"])
        fields.add("LINK", "c")
        #expect(fields.map(\.value) == ["a", "1", "b", "c"])
        fields["link"] = "only"
        #expect(fields.map(\.name) == ["link", "X"])
        fields["link"] = nil
        fields["absent"] = nil
        #expect(fields.map(\.name) == ["X"])
    }

    @Test func `assigning a header after a repeated one keeps its place`() {
        var fields: HeaderFields = ["A": "1", "A": "2", "B": "3", "A": "4"]
        fields["A"] = "5"
        #expect(fields.map(\.value) == ["5", "3"])
        fields = ["B": "1", "A": "2", "a": "3"]
        fields["A"] = "4"
        #expect(fields.map(\.value) == ["1", "4"])
    }

    @Test func `header names that differ in more than ASCII case are different`() {
        let fields: HeaderFields = ["\u{212A}ey": "kelvin", "[": "x"]
        #expect(fields["key"] == nil)
        #expect(fields["{"] == nil)
    }

    @Test(arguments: [
        ("GET", true, true), ("HEAD", true, true), ("OPTIONS", true, true), ("TRACE", true, true),
        ("QUERY", true, true), ("PROPFIND", true, true), ("PUT", false, true), ("DELETE", false, true),
        ("MKCOL", false, true), ("UNLOCK", false, true), ("POST", false, false), ("PATCH", false, false),
        ("LOCK", false, false), ("CONNECT", false, false), ("M-SEARCH", false, false), ("get", false, false),
    ])
    func `a registered method is safe or idempotent as the registry states`(
        name: String, isSafe: Bool, isIdempotent: Bool
    ) throws {
        let method = try #require(HTTPMethod(rawValue: name))
        #expect(method.isSafe == isSafe)
        #expect(method.isIdempotent == isIdempotent)
    }

    @Test(arguments: ["", " ", "GE T", "GET\r\n", "G:T", "GÉT", "G/T", "\0", "(GET)"])
    func `a method is a token`(text: String) {
        #expect(HTTPMethod(rawValue: text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([HTTPMethod].self, from: JSONEncoder().encode([text]))
        }
    }

    @Test func `a method is its text in JSON`() throws {
        let methods: [HTTPMethod] = try [.get, #require(HTTPMethod(rawValue: "M-SEARCH"))]
        let json = try JSONEncoder().encode(methods)
        #expect(json == Data(#"["GET","M-SEARCH"]"#.utf8))
        #expect(try JSONDecoder().decode([HTTPMethod].self, from: json) == methods)
    }

    @Test(arguments: [
        ("X", "a\tb", true), ("X", "", true), ("X", "ä", true), ("", "a", false), ("X Y", "a", false),
        ("X:", "a", false),
        ("X", "a\r\nY: b", false), ("X", "a\0", false), ("X", "\u{7f}", false),
    ])
    func `a field with a line break, or a name that is not a token, is not sendable`(
        name: String, value: String, isSendable: Bool
    ) {
        #expect(HeaderFields.Field(name, value).isSendable == isSendable)
    }
}
