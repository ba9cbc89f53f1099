import StrataNetworking
import Testing

struct OriginTests {
    @Test(arguments: [
        ("http://Example.COM", "http://example.com"),
        ("http://example.com:80/x", "http://example.com"),
        ("https://example.com:443", "https://example.com"),
        ("http://example.com.:8080", "http://example.com:8080"),
        ("HTTPS://example.com", "https://example.com"),
        ("http://[::1]:8080/a", "http://[::1]:8080"),
        ("http://[0:0:0:0:0:0:0:1]:8080", "http://[::1]:8080"),
        ("http://[2001:DB8::A]", "http://[2001:db8::a]"),
        ("http://host:", "http://host"),
        ("http://host?q", "http://host"),
        ("http://a_b.example", "http://a_b.example"),
    ])
    func `spells one origin one way`(url: String, origin: String) throws {
        #expect(try HTTPURL(url).origin.description == origin)
    }

    @Test(arguments: [
        ("http://a.test", "https://a.test"), ("http://a.test", "http://a.test:8080"),
        ("http://a.test", "http://b.a.test"),
        ("http://[::1]", "http://127.0.0.1"),
    ])
    func `scheme, port and subdomain distinguish origins`(one: String, other: String) throws {
        #expect(try HTTPURL(one).origin != HTTPURL(other).origin)
    }

    @Test(arguments: [
        "", "tides.test", "ftp://tides.test", "http://", "http://tides.test:0", "http://tides.test:65536",
        "http://a:b:c",
        "http://tides.test:99999999999999999999", "http://[::1", "http://[zz]", "http://mü.test", "http://a b.test",
        "http://tides.test/a b", "http://tides.test/ü", "http://tides.test/\\", "http://tides.test/\r\nX: y",
        "http://.",
        "http://tides.test:+80", "file:///etc/passwd", "http://%31.test",
    ])
    func `a text that is not an http URL is refused with a sentence`(url: String) {
        #expect(throws: OptionsError.self) { try HTTPURL(url) }
    }

    @Test func `refuses user information without repeating it`() {
        let error = #expect(throws: OptionsError.self) { try HTTPURL("http://ann:hunter2@tides.test/") }
        #expect(error?.description.contains("hunter2") == false)
        let other = #expect(throws: OptionsError.self) { try HTTPURL("ann:hunter2@tides.test") }
        #expect(other?.description.contains("hunter2") == false)
    }

    @Test func `keeps path and query as written and drops the fragment`() throws {
        let url = try HTTPURL("http://tides.test/a%2Fb?x=1+2&y=%26#part")
        #expect(url.path == "/a%2Fb")
        #expect(url.query == "x=1+2&y=%26")
        #expect(url.description == "http://tides.test/a%2Fb?x=1+2&y=%26")
        #expect(try HTTPURL("http://tides.test?x").description == "http://tides.test/?x")
    }
}
