import Testing

@testable import StrataService

@Suite struct `Origins of other pages` {
    @Test func `each origin of a list is allowed as a browser sends it`() throws {
        let origins = try CORSOrigins("https://app.example.org, http://localhost:5173,https://[2001:db8::1]:8443")
        for origin in ["https://app.example.org", "http://localhost:5173", "https://[2001:db8::1]:8443"] {
            #expect(origins.allowed(origin) == origin)
        }
        #expect(!origins.allowsAll && !origins.isEmpty)
    }

    @Test(arguments: [
        "", "null", "*", "https://app.example.org/", "https://app.example.org:443", "https://APP.example.org",
        "http://app.example.org", "https://app.example.org.evil.example", "https://evil.example", "app.example.org",
        "https://app.example.org, https://app.example.org", "https://app.example.org\r\nX: 1",
        "https://app.example.org\0",
        "https://app.example.org\u{301}", "https://app.example.org.", "https://" + String(repeating: "a", count: 8192),
    ])
    func `an origin that differs in one character is not allowed`(origin: String) throws {
        #expect(try CORSOrigins("https://app.example.org").allowed(origin) == nil)
        #expect(CORSOrigins.none.allowed(origin) == nil)
    }

    @Test func `a star allows every origin, and its value repeats none`() throws {
        let all = try CORSOrigins("*")
        #expect(all.allowsAll && !all.isEmpty)
        for origin in [nil, "null", "https://evil.example"] { #expect(all.allowed(origin) == "*") }
    }

    @Test func `an empty text allows none`() throws {
        #expect(try CORSOrigins("") == .none)
        #expect(CORSOrigins.none.isEmpty)
    }

    @Test(arguments: [
        ("https://app.example.org/", "https://app.example.org"),
        ("HTTPS://App.Example.org", "https://app.example.org"),
        ("https://app.example.org:443", "https://app.example.org"), ("http://a.example:80", "http://a.example"),
        ("http://a.example:0443", "http://a.example:443"), ("https://a.example.", "https://a.example"),
        ("https://[2001:DB8:0::1]", "https://[2001:db8::1]"),
    ])
    func `another spelling of an origin is refused with the right one`(text: String, origin: String) {
        let error = #expect(throws: CORSOriginError.self) { try CORSOrigins("https://b.example,\(text)") }
        #expect(error?.correct == origin)
        #expect(error?.description.contains("'\(text)'") == true)
        #expect(error?.description.contains("write \(origin)") == true)
    }

    @Test(arguments: [
        "null", "app.example.org", "https://app.example.org/path", "https://app.example.org?x", "https://*.example.org",
        "https://bücher.example", "ftp://app.example.org", "file://", "https://", "https://a b", "https://a.example:0",
    ])
    func `text that is no origin is refused with an example`(text: String) {
        let error = #expect(throws: CORSOriginError.self) { try CORSOrigins(text) }
        #expect(error?.description.contains("'\(text)'") == true)
        #expect(error?.description.contains("https://app.example.org") == true)
    }

    @Test(arguments: ["https://a.example,*", "*,*", "*,https://a.example"])
    func `a star in a list is refused`(text: String) {
        let error = #expect(throws: CORSOriginError.self) { try CORSOrigins(text) }
        #expect(error?.description.contains("write it alone") == true)
    }

    @Test(arguments: [",", "https://a.example,", ",https://a.example"])
    func `an empty place in a list is refused`(text: String) {
        #expect(throws: CORSOriginError.self) { try CORSOrigins(text) }
    }

    @Test func `an origin with a password is refused without it`() {
        let error = #expect(throws: CORSOriginError.self) { try CORSOrigins("https://ada:hunter2@a.example") }
        #expect(error?.description.contains("hunter2") == false)
    }
}
