import Testing

@testable import StrataNetworking

struct LocationTests {
    private static let base = "http://tides.test/a/b/c?q=1"

    @Test(arguments: [
        ("http://x.test/y", "http://x.test/y"), ("HTTP://X.test", "http://x.test/"), ("//x.test/y", "http://x.test/y"),
        ("//x.test:81?z", "http://x.test:81/?z"), ("/y", "http://tides.test/y"), ("/", "http://tides.test/"),
        ("y", "http://tides.test/a/b/y"), ("./y", "http://tides.test/a/b/y"), ("../y", "http://tides.test/a/y"),
        ("..", "http://tides.test/a/"), (".", "http://tides.test/a/b/"), ("../../../../y", "http://tides.test/y"),
        ("/../../y", "http://tides.test/y"), ("y/../z", "http://tides.test/a/b/z"), ("y/.", "http://tides.test/a/b/y/"),
        ("?z=2", "http://tides.test/a/b/c?z=2"), ("?", "http://tides.test/a/b/c?"),
        ("#there", "http://tides.test/a/b/c?q=1"), ("", "http://tides.test/a/b/c?q=1"),
        ("y#there", "http://tides.test/a/b/y"), ("y?z#there", "http://tides.test/a/b/y?z"),
        ("?next=http://x.test", "http://tides.test/a/b/c?next=http://x.test"),
        ("/y?next=http://x.test", "http://tides.test/y?next=http://x.test"),
        ("y/http://x.test", "http://tides.test/a/b/y/http://x.test"), ("./a:b", "http://tides.test/a/b/a:b"),
        ("/a b", "http://tides.test/a%20b"), ("/ü", "http://tides.test/%C3%BC"),
        ("/☂?ß", "http://tides.test/%E2%98%82?%C3%9F"),
        ("\\\\x.test/y", "http://tides.test/a/b/%5C%5Cx.test/y"), ("/\\x.test", "http://tides.test/%5Cx.test"),
        ("/..//x.test/y", "http://tides.test//x.test/y"), ("/%2e%2e/y", "http://tides.test/%2e%2e/y"),
        ("http://[::1]:81/y", "http://[::1]:81/y"), ("http://[2001:DB8::A]/", "http://[2001:db8::a]/"),
        ("http://x.test:80/y", "http://x.test/y"), ("http://x.test./y", "http://x.test/y"),
        ("1:2", "http://tides.test/a/b/1:2"),
        ("http://x.test/a/../b", "http://x.test/b"),
    ])
    func `a reference resolves as in RFC 3986`(reference: String, url: String) throws {
        #expect(try HTTPURL(Self.base).resolving(reference).description == url)
    }

    @Test(arguments: [
        "javascript:alert(1)", "ftp://x.test/y", "file:///etc/passwd", "data:text/plain,x", "mailto:a@x.test", "http:",
        "http:/y", "http:y", "https:", "http://", "http:///y", "http://?q", "http://x.test:0/", "http://x.test:65536/",
        "http://x.test:y/", "http://x.test:-1/", "http://ann@x.test/", "http://ann:pw@x.test/", "//ann@x.test/",
        "http://[::1", "http://[zz]/", "http://a b/", "http://mü.test/", "http://x.test\\@tides.test/", "/a\r\nX: y",
        "/a\nb", "/a\u{0}b", "/a\tb", "/\u{7F}", "/y#\r\nX: y", "ws://x.test/", "http://%31.test/",
        "unix:/run/x.sock", "about:blank", "//",
    ])
    func `a reference to another scheme or with control characters is refused`(reference: String) throws {
        let base = try HTTPURL(Self.base)
        #expect(throws: OptionsError.self) { try base.resolving(reference) }
    }

    /// RFC 3986, section 5.4.
    @Test(arguments: [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
        ("#s", "/b/c/d;p?q"), ("g#s", "/b/c/g"), ("g?y#s", "/b/c/g?y"), (";x", "/b/c/;x"), ("g;x", "/b/c/g;x"),
        ("g;x?y#s", "/b/c/g;x?y"), ("", "/b/c/d;p?q"), (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"),
        ("../g", "/b/g"), ("../..", "/"), ("../../", "/"), ("../../g", "/g"), ("../../../g", "/g"),
        ("../../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), (".g", "/b/c/.g"),
        ("g..", "/b/c/g.."), ("..g", "/b/c/..g"), ("./../g", "/b/g"), ("./g/.", "/b/c/g/"), ("g/./h", "/b/c/g/h"),
        ("g/../h", "/b/c/h"), ("g;x=1/./y", "/b/c/g;x=1/y"), ("g;x=1/../y", "/b/c/y"), ("g?y/./x", "/b/c/g?y/./x"),
        ("g?y/../x", "/b/c/g?y/../x"), ("g#s/../x", "/b/c/g"),
    ])
    func `the examples of the RFC`(reference: String, target: String) throws {
        #expect(try HTTPURL("http://a/b/c/d;p?q").resolving(reference).target == target)
    }
}
