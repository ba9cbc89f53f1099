import StrataNetworking
import Testing

@testable import StrataAsyncHTTP

struct NoProxyTests {
    /// The first ten are the examples of curl's manual ("--noproxy", "NO_PROXY").
    private static let cases: [(String, String, Bool)] = [
        ("local.com", "http://local.com", true), ("local.com", "http://local.com:80", true),
        ("local.com", "http://www.local.com", true), ("local.com", "http://www.notlocal.com", false),
        (".local.com", "http://www.local.com", true), (".local.com", "http://local.com", true),
        ("*", "https://anything.example", true), ("192.168.0.0/16", "http://192.168.7.1", true),
        ("192.168.0.0/16", "http://192.169.0.1", false), ("::1,fd00::1", "http://[fd00:0::1]", true),
        // Lists, spaces, case, dots.
        ("a.example,b.example", "http://b.example", true), ("a.example b.example", "http://b.example", true),
        (" ,, a.example ,", "http://a.example", true), ("A.Example", "http://a.EXAMPLE", true),
        ("a.example.", "http://a.example", true), ("a.example", "http://a.example.", true),
        ("*.a.example", "http://x.a.example", true), ("a.example,*", "http://b.example", true),
        ("", "http://a.example", false), (".", "http://a.example", false), ("example", "http://anexample", false),
        ("x.a.example", "http://a.example", false), ("a.*.example", "http://a.b.example", false),
        // Ports.
        ("a.example:8443", "https://a.example:8443", true), ("a.example:8443", "https://a.example", false),
        ("a.example:443", "https://a.example", true), ("a.example:443", "http://a.example", false),
        ("[fd00::1]:8080", "http://[fd00::1]:8080", true), ("[fd00::1]:8080", "http://[fd00::1]", false),
        ("a.example:x", "http://a.example", false), ("*:8080", "http://a.example:8080", true),
        // Addresses and blocks.
        ("10.0.0.1", "http://10.0.0.1", true), ("10.0.0.1", "http://10.0.0.11", false),
        ("0.0.1", "http://10.0.0.1", false), ("10.0.0.0/8", "http://10.255.0.1:3000", true),
        ("10.1.2.3/8", "http://10.200.0.1", true), ("10.0.0.0/8:3000", "http://10.255.0.1:3000", true),
        ("10.0.0.0/8:3000", "http://10.255.0.1", false), ("10.0.0.0/33", "http://10.0.0.1", false),
        ("0.0.0.0/0", "http://203.0.113.8", true), ("0.0.0.0/0", "http://a.example", false),
        ("0.0.0.0/0", "http://[fd00::1]", false), ("fd00::/8", "http://[fdff::1]", true),
        ("fd00::/8", "http://[fe00::1]", false), ("::ffff:10.0.0.0/104", "http://10.9.9.9", true),
        ("[fd00::1]", "http://[fd00::1]", true), ("a.example/8", "http://a.example", false),
        ("10.0.0.0/", "http://10.0.0.0", false), ("10.0.0.0/8/9", "http://10.0.0.1", false),
    ]

    @Test(arguments: cases)
    func `NO_PROXY is read as curl reads it`(text: String, url: String, isExcepted: Bool) throws {
        let origin = try HTTPURL(url).origin
        #expect(NoProxy(text).contains(origin) == isExcepted)
    }
}
