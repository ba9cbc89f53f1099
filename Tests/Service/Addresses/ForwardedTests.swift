import HTTPTypes
import StrataSystem
import StrataTesting
import Testing

@testable import StrataService

@Suite struct ForwardedNodeTests {
    @Test(arguments: [
        "192.0.2.1", "192.0.2.1:80", "192.0.2.1:65535", "192.0.2.1:_port", " 192.0.2.1 ", "[::ffff:192.0.2.1]",
    ])
    func `an address is read with a port and without`(text: String) throws {
        #expect(ForwardedNode(text) == .address(try #require(IPAddress("192.0.2.1"))))
    }

    @Test(arguments: ["2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:443", "[2001:DB8::1]:_x"])
    func `an IPv6 address has brackets or no port`(text: String) throws {
        #expect(ForwardedNode(text) == .address(try #require(IPAddress("2001:db8::1"))))
    }

    @Test(arguments: ["_hidden", "_hidden:80", "_a.b-c_D9"])
    func `an obfuscated name begins with an underscore`(text: String) {
        #expect(ForwardedNode(text) == .obfuscated(String(text.prefix { $0 != ":" })))
    }

    @Test(arguments: [
        "", "unknown", "unknown:80", "_", "_a b", "_" + String(repeating: "a", count: 64), "192.0.2.1:", "192.0.2.1:x",
        "192.0.2.1:123456", "[192.0.2.1]", "[::1", "::1]", "[::1]x", "[::1]:", "[]", "example.org", "a:b:c", "_x:y z",
        "192.0.2.256", "<script>",
    ])
    func `any other node is unknown`(text: String) { #expect(ForwardedNode(text) == .unknown) }
}

@Suite struct ClientOriginTests {
    private func origin(
        _ fields: [(String, String)], trusting list: String = "127.0.0.0/8,10.0.0.0/8,::1", peer: String = "127.0.0.1"
    ) throws -> ClientOrigin {
        var headers = HTTPFields()
        for (name, value) in fields {
            headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        return try TrustedProxies(list).origin(peer: peer, headers: headers)
    }

    @Test func `the fields of an untrusted peer are ignored`() throws {
        let fields = [
            ("X-Forwarded-For", "192.0.2.1"), ("Forwarded", "for=192.0.2.1"), ("X-Forwarded-Host", "evil.example"),
            ("X-Forwarded-Proto", "https"),
        ]
        #expect(try origin(fields, trusting: "") == ClientOrigin(address: "127.0.0.1"))
        #expect(try origin(fields, trusting: "10.0.0.0/8") == ClientOrigin(address: "127.0.0.1"))
        #expect(try origin(fields, peer: "198.51.100.7") == ClientOrigin(address: "198.51.100.7"))
    }

    @Test(arguments: [
        // One proxy; several; fields before the first untrusted hop are ignored.
        ("192.0.2.1", "192.0.2.1"), ("192.0.2.1, 10.0.0.9", "192.0.2.1"), ("6.6.6.6, 192.0.2.1, 10.0.0.9", "192.0.2.1"),
        ("6.6.6.6, 192.0.2.1", "192.0.2.1"), ("10.0.0.1, 192.0.2.1", "192.0.2.1"),
        // All are trusted: the one furthest away.
        ("10.0.0.1, 10.0.0.2", "10.0.0.1"),
        // A hop that hides its client hides the hops before it.
        ("192.0.2.1, unknown", "127.0.0.1"), ("192.0.2.1, unknown, 10.0.0.9", "10.0.0.9"),
        ("192.0.2.1, nonsense", "127.0.0.1"),
        // Ports, IPv6, mapped addresses, empty elements.
        ("192.0.2.1:4711", "192.0.2.1"), ("2001:DB8::1", "2001:db8::1"), ("[2001:db8::1]:443, ::1", "2001:db8::1"),
        ("::ffff:192.0.2.1", "192.0.2.1"), ("192.0.2.1,, ::ffff:10.0.0.1,", "192.0.2.1"), ("", "127.0.0.1"),
        ("_hidden, 10.0.0.1", "_hidden"),
    ])
    func `X-Forwarded-For is walked from the right over the trusted hops`(text: String, address: String) throws {
        #expect(try origin([("X-Forwarded-For", text)]).address == address)
    }

    @Test func `several lines of a field are one list`() throws {
        let lines = [("X-Forwarded-For", "6.6.6.6, 192.0.2.1"), ("X-Forwarded-For", "10.0.0.9")]
        #expect(try origin(lines).address == "192.0.2.1")
        #expect(try origin([("Forwarded", "for=192.0.2.1"), ("Forwarded", "for=10.0.0.9")]).address == "192.0.2.1")
    }

    @Test(arguments: [
        ("for=192.0.2.1", "192.0.2.1"), ("for=6.6.6.6, for=192.0.2.1, for=10.0.0.9", "192.0.2.1"),
        ("for=\"[2001:db8::1]:4711\", for=\"[::1]\"", "2001:db8::1"), ("for=\"192.0.2.1:80\";proto=https", "192.0.2.1"),
        ("for=_abc;host=x, for=10.0.0.1", "_abc"), ("for=unknown", "127.0.0.1"), ("proto=https", "127.0.0.1"),
        ("for=192.0.2.1, by=10.0.0.1", "127.0.0.1"), ("for=192.0.2.1;;for", "127.0.0.1"),
        ("for=\"192.0.2.1", "127.0.0.1"),
    ])
    func `Forwarded is walked the same way`(text: String, address: String) throws {
        #expect(try origin([("Forwarded", text)]).address == address)
    }

    @Test func `two fields that name different clients are ignored`() throws {
        let fields = [("Forwarded", "for=6.6.6.6;host=evil.example"), ("X-Forwarded-For", "192.0.2.1")]
        #expect(try origin(fields) == ClientOrigin(address: "127.0.0.1"))
        let agreeing = [("Forwarded", "for=192.0.2.1;proto=https"), ("X-Forwarded-For", "192.0.2.1")]
        #expect(try origin(agreeing) == ClientOrigin(address: "192.0.2.1", scheme: "https"))
    }

    @Test func `scheme and host are those of the hop nearest to the client`() throws {
        let standard = [
            ("Forwarded", "for=192.0.2.1;proto=https;host=\"a.example:8443\", for=10.0.0.9;proto=http;host=inner")
        ]
        #expect(
            try origin(standard) == ClientOrigin(address: "192.0.2.1", scheme: "https", host: "a.example:8443"))
        let usual = [
            ("X-Forwarded-For", "6.6.6.6, 192.0.2.1, 10.0.0.9"), ("X-Forwarded-Proto", "http, https, http"),
            ("X-Forwarded-Host", "a.example"),
        ]
        #expect(try origin(usual) == ClientOrigin(address: "192.0.2.1", scheme: "https", host: "a.example"))
    }

    @Test func `scheme and host are used without a client`() throws {
        let fields = [("X-Forwarded-Proto", "HTTPS"), ("X-Forwarded-Host", "a.example")]
        #expect(try origin(fields) == ClientOrigin(address: "127.0.0.1", scheme: "https", host: "a.example"))
    }

    @Test(arguments: [("X-Forwarded-Proto", "gopher"), ("X-Forwarded-Host", "a/b"), ("X-Forwarded-Host", "a, b c")])
    func `a malformed scheme or host is ignored`(name: String, value: String) throws {
        let found = try origin([("X-Forwarded-For", "192.0.2.1"), (name, value)])
        #expect(found == ClientOrigin(address: "192.0.2.1"))
    }

    @Test func `a peer on a Unix-domain socket is trusted when the list has unix`() throws {
        let fields = [("X-Forwarded-For", "192.0.2.1")]
        #expect(try origin(fields, trusting: "unix", peer: "").address == "192.0.2.1")
        #expect(try origin(fields, peer: "").address == "")
    }

    @Test func `a client cannot choose its address through a proxy that appends`() throws {
        var random = SeededRandom(seed: 11)
        let words = [
            "10.0.0.1", "127.0.0.1", "6.6.6.6", "unknown", "_x", "::1", "[::1]:80", "\"", ",", ";", " ", "for=1.1.1.1",
        ]
        for _ in 0..<20_000 {
            let sent = (0..<Int.random(in: 0...8, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }
            let found = try origin([("X-Forwarded-For", sent.joined() + ", 192.0.2.1")])
            #expect(found.address == "192.0.2.1")
        }
    }
}
