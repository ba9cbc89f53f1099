import Testing

@testable import StrataService

@Suite struct AuthorityTests {
    @Test(
        arguments: [
            ("a", "a", nil), ("Example.ORG", "example.org", nil), ("example.org.", "example.org", nil),
            ("a:80", "a", 80),
            ("a:65535", "a", 65_535), ("a:080", "a", 80), ("a:", "a", nil), ("127.0.0.1:8080", "127.0.0.1", 8080),
            ("[::1]", "::1", nil), ("[2001:DB8:0::1]:443", "2001:db8::1", 443), ("[::1]:", "::1", nil),
            ("my_host", "my_host", nil),
        ] as [(String, String, Int?)])
    func `host and port are read`(text: String, host: String, port: Int?) {
        let authority = Authority(text)
        #expect(authority?.host == host)
        #expect(authority?.port == port)
    }

    @Test(arguments: [
        "", ":", ":80", ".", "a:b", "a:b:c", "a:1:2", "a:0", "a:65536", "a:99999999", "a:-1", "a:+1", "a: 80",
        "a:８０", "::1",
        "[::1", "[::1]x", "[::1]:x", "[::1]80", "[127.0.0.1]", "[a]", "[]", "[fe80::1%25eth0]", "a/b", "user@a",
        "a, b", "a b",
        "a%41", "a?", "a#", "é", "a\u{0}", String(repeating: "a", count: 256),
    ])
    func `other text is not a host with a port`(text: String) { #expect(Authority(text) == nil) }
}

@Suite struct PublicURLTests {
    @Test(arguments: [
        ("https://shiftlog.example.org", "https://shiftlog.example.org"),
        ("HTTPS://Shiftlog.Example.org/", "https://shiftlog.example.org"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("https://[2001:DB8::1]:8443/", "https://[2001:db8::1]:8443"),
    ])
    func `scheme, host and port stay`(text: String, url: String) { #expect(PublicURL(text)?.description == url) }

    @Test(arguments: [
        "", "shiftlog.example.org", "ftp://a", "https:a", "https:/a", "https://", "https:///", "https://a/b",
        "https://a?b",
        "https://a#b", "https://u@a", "https://a:0", "https://a:x", "https://a//", "https://a b", "://a", ":https://a",
    ])
    func `anything else is refused`(text: String) { #expect(PublicURL(text) == nil) }
}

@Suite struct ServiceAddressTests {
    private func isNamed(_ address: ServiceAddress, _ host: String) throws -> Bool {
        address.isNamed(try #require(Authority(host)))
    }

    @Test func `the public URL takes precedence over the listening address`() throws {
        let address = ServiceAddress(publicURL: PublicURL("https://a.example"), host: "127.0.0.1", port: 0)
        address.listens(at: "http://127.0.0.1:4711")
        #expect(address.url == "https://a.example")
    }

    @Test func `without a public URL the URL is known once the service listens`() {
        let address = ServiceAddress(host: "::1", port: 0)
        #expect(address.url == "http://[::1]:0")
        address.listens(at: "http://[::1]:4711")
        #expect(address.url == "http://[::1]:4711")
        address.listens(at: "unix:/run/a.sock")
        #expect(address.url == "http://[::1]:4711")
    }

    @Test(arguments: [
        ("a.example", true), ("A.Example.", true), ("a.example:443", true), ("a.example:8443", false),
        ("a.example:80", false), ("evil.example", false), ("127.0.0.1", false), ("localhost:8080", false),
        ("b.a.example", false), ("a.example.evil.example", false),
    ])
    func `with a public URL only its host is accepted`(host: String, isOurs: Bool) throws {
        let address = ServiceAddress(publicURL: PublicURL("https://a.example"), host: "127.0.0.1", port: 8080)
        #expect(try isNamed(address, host) == isOurs)
    }

    @Test func `a port in Host must be that of the public URL`() throws {
        let address = ServiceAddress(publicURL: PublicURL("http://a.example:8080"), host: "127.0.0.1", port: 1)
        #expect(try isNamed(address, "a.example:8080"))
        #expect(try isNamed(address, "a.example"))
        #expect(try !isNamed(address, "a.example:80"))
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.0.0.1:9999", true), ("[::1]:80", true), ("192.0.2.1:8080", true),
        ("localhost:1", true),
        ("LOCALHOST", true), ("db1.internal:8080", true), ("evil.example", false), ("localhost.evil.example", false),
        ("127.0.0.1.evil.example", false),
    ])
    func `without a public URL every address and the names of this machine are accepted`(host: String, isOurs: Bool)
        throws
    {
        #expect(try isNamed(ServiceAddress(host: "DB1.internal", port: 8080), host) == isOurs)
    }
}
