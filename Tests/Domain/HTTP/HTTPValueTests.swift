import FoundationEssentials
import StrataDomain
import Testing

struct HTTPValueTests {
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

    @Test func `assigning a header keeps its place when it stands behind a repeated one`() {
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
        ("a b", "a%20b"), ("+&=/?#", "%2B%26%3D%2F%3F%23"), ("ü☂", "%C3%BC%E2%98%82"), ("~-._aZ9", "~-._aZ9"), ("", ""),
        ("\u{0}\n", "%00%0A"),
    ])
    func `percent-encodes everything but unreserved characters, and back`(text: String, encoded: String) {
        #expect(PercentEncoding.encode(text) == encoded)
        #expect(PercentEncoding.decode(encoded) == text)
    }

    @Test(arguments: ["%", "%2", "%zz", "a%", "%G0", "%ff", "%C3", "%c3%28", "%ED%A0%80"])
    func `refuses broken escapes and bytes that are not UTF-8`(text: String) {
        #expect(PercentEncoding.decode(text) == nil)
    }

    @Test func `reads a plus as a space only where forms do`() {
        #expect(PercentEncoding.decode("a+b") == "a+b")
        #expect(PercentEncoding.decode("a+b", plusIsSpace: true) == "a b")
        #expect(PercentEncoding.decode("%2b", plusIsSpace: true) == "+")
    }

    @Test func `every scalar survives encoding`() {
        for value in stride(from: UInt32(0), to: 0x11_0000, by: 97) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(Character(scalar))
            #expect(
                PercentEncoding.decode(PercentEncoding.encode(text))?.unicodeScalars.elementsEqual(text.unicodeScalars)
                    == true)
        }
    }

    @Test func `query items keep order, repetitions and empty values`() throws {
        let items: QueryItems = ["b": "1", "a": "", "b": "2", "": "x", "ü&": "=+"]
        #expect(items.encoded == "b=1&a=&b=2&=x&%C3%BC%26=%3D%2B")
        #expect(QueryItems(parsing: items.encoded) == items)
        #expect(QueryItems(parsing: "") == [:])
        #expect(QueryItems(parsing: "a&b=&&c=1=2") == ["a": "", "b": "", "c": "1=2"])
        #expect(QueryItems(parsing: "a=%zz") == nil)
    }

    @Test(arguments: [
        ("\"v1\"", "v1", false), ("W/\"v1\"", "v1", true), ("\"\"", "", false), ("\"a,b\"", "a,b", false),
        ("\"ü\"", "ü", false),
    ])
    func `reads entity tags and writes them back`(text: String, opaque: String, isWeak: Bool) throws {
        let tag = try #require(EntityTag(parameter: text))
        #expect(tag.opaque == opaque)
        #expect(tag.isWeak == isWeak)
        #expect(tag.parameter == text)
    }

    @Test(arguments: [
        "", "v1", "\"", "\"v1", "v1\"", "w/\"v1\"", "W/v1", "\"a\"b\"", "\"a b\"", "\"a\nb\"", "*", "\"a\", \"b\"",
        " \"a\"",
    ])
    func `refuses what is no entity tag`(text: String) { #expect(EntityTag(parameter: text) == nil) }

    @Test func `compares tags strongly and weakly`() {
        let (strong, weak) = (EntityTag("1"), EntityTag("1", isWeak: true))
        #expect(strong.stronglyMatches(EntityTag("1")))
        #expect(!strong.stronglyMatches(weak))
        #expect(!weak.stronglyMatches(weak))
        #expect(weak.weaklyMatches(strong))
        #expect(!strong.weaklyMatches(EntityTag("2")))
    }

    @Test func `a version survives as a strong tag only`() {
        #expect(EntityTag(version: 42).version == 42)
        #expect(EntityTag("42", isWeak: true).version == nil)
        #expect(EntityTag("x").version == nil)
        #expect(EntityTag("99999999999999999999").version == nil)
    }

    @Test(arguments: [
        ("GET", true, true), ("HEAD", true, true), ("OPTIONS", true, true), ("TRACE", true, true),
        ("QUERY", true, true), ("PROPFIND", true, true), ("PUT", false, true), ("DELETE", false, true),
        ("MKCOL", false, true), ("UNLOCK", false, true), ("POST", false, false), ("PATCH", false, false),
        ("LOCK", false, false), ("CONNECT", false, false), ("M-SEARCH", false, false), ("get", false, false),
    ])
    func `methods know whether they are safe and idempotent`(name: String, isSafe: Bool, isIdempotent: Bool) throws {
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

    @Test func `a route names its parameters`() {
        let route = Route.get("/v1/{a}/b/{c_d}")
        #expect(route.parameterNames == ["a", "c_d"])
        #expect("\(route)" == "GET /v1/{a}/b/{c_d}")
    }

    @Test(arguments: [
        ("application/json", "application/json"), ("Text/HTML; charset=x", "text/html"), (" a/b ;c", "a/b"), ("", ""),
    ])
    func `takes the essence of a media type`(field: String, essence: String) {
        #expect(MediaType.essence(field) == essence)
    }
}
