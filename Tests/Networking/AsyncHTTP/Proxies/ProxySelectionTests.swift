import StrataDomain
import StrataNetworking
import Testing

@testable import StrataAsyncHTTP

/// Which proxy a URL goes through.
struct ProxySelectionTests {
    private static let both = ["HTTP_PROXY": "http://plain.test:8080", "HTTPS_PROXY": "http://secure.test:3128"]

    private func route(_ variables: [String: String], _ url: String) throws -> String {
        switch try ProxySelection.environment(variables).route(to: HTTPURL(url).origin) {
        case .direct: "direct"
        case .tunnel(let proxy): "tunnel \(proxy)"
        case .forward(let proxy): "forward \(proxy)"
        }
    }

    private static let cases: [([String: String], String, String)] = [
        ([:], "https://a.test", "direct"),
        (both, "https://a.test", "tunnel http://secure.test:3128"),
        (both, "http://a.test", "forward http://plain.test:8080"),
        (["HTTP_PROXY": "p.test:1"], "https://a.test", "direct"),
        (["HTTPS_PROXY": "p.test:1"], "http://a.test", "direct"),
        (["https_proxy": "low.test:1", "HTTPS_PROXY": "up.test:1"], "https://a.test", "tunnel http://low.test:1"),
        (["https_proxy": "", "HTTPS_PROXY": "up.test:1"], "https://a.test", "tunnel http://up.test:1"),
        (["ALL_PROXY": "all.test:1"], "https://a.test", "tunnel http://all.test:1"),
        (["all_proxy": "all.test:1"], "http://a.test", "forward http://all.test:1"),
        (["ALL_PROXY": "all.test:1", "HTTPS_PROXY": "up.test:1"], "https://a.test", "tunnel http://up.test:1"),
        // A header field becomes HTTP_PROXY in CGI.
        (["HTTP_PROXY": "evil.test:1", "REQUEST_METHOD": "GET"], "http://a.test", "direct"),
        (["http_proxy": "p.test:1", "REQUEST_METHOD": "GET"], "http://a.test", "forward http://p.test:1"),
        (["HTTPS_PROXY": "p.test:1", "REQUEST_METHOD": "GET"], "https://a.test", "tunnel http://p.test:1"),
        (["HTTPS_PROXY": "p.test:1", "NO_PROXY": "b.test,a.test"], "https://a.test", "direct"),
        (
            ["HTTPS_PROXY": "p.test:1", "no_proxy": "a.test", "NO_PROXY": "b.test"], "https://b.test",
            "tunnel http://p.test:1"
        ),
        (["HTTPS_PROXY": "p.test:1"], "https://127.0.0.1:8443", "direct"),
        (["HTTPS_PROXY": "p.test:1"], "https://127.9.9.9", "direct"),
        (["ALL_PROXY": "p.test:1"], "http://[::1]", "direct"),
        (["ALL_PROXY": "p.test:1"], "http://localhost:8080", "direct"),
        (["ALL_PROXY": "p.test:1"], "http://x.localhost", "direct"),
        (["ALL_PROXY": "p.test:1"], "http://localhost.test", "forward http://p.test:1"),
        // The form of the value.
        (["HTTPS_PROXY": " http://p.test:3128/ "], "https://a.test", "tunnel http://p.test:3128"),
        (["HTTPS_PROXY": "HTTP://P.test:80"], "https://a.test", "tunnel http://p.test"),
        (["HTTPS_PROXY": "p.test"], "https://a.test", "tunnel http://p.test:1080"),
        (["HTTPS_PROXY": "http://[fd00::1]"], "https://a.test", "tunnel http://[fd00::1]:1080"),
        (["HTTPS_PROXY": "http://[fd00::1]:99"], "https://a.test", "tunnel http://[fd00::1]:99"),
        (["HTTPS_PROXY": "http://ann:x@p.test:3128"], "https://a.test", "tunnel http://p.test:3128"),
    ]

    @Test(arguments: cases)
    func `the variables are read as curl reads them`(variables: [String: String], url: String, expected: String) throws
    {
        #expect(try route(variables, url) == expected)
    }

    @Test(arguments: [
        ("ann:p%40ss%3A%2F@p.test", "Basic YW5uOnBAc3M6Lw=="), ("ann@p.test", "Basic YW5uOg=="),
        ("http://ann:a@b@p.test:1", "Basic YW5uOmFAYg=="), ("p.test", nil),
    ])
    func `user and password of the URL are decoded`(value: String, authorization: String?) throws {
        #expect(try UpstreamProxy(variable: value).authorization?.reveal() == authorization)
    }

    @Test(arguments: [
        ("socks5://ann:hunter2@p.test", "'socks5'"), ("https://ann:hunter2@p.test", "'https'"),
        ("hunter2://p.test", "another scheme"), ("http://ann:hunter2/@p.test:1", "percent-encoded"),
        ("http://ann:hunter2" + "%zz@p.test", "%25"), ("http://ann:hunter2@p.test:99999", "http://host:port"),
        ("http://ann:hunter2@p.test:x", "http://host:port"), ("http://ann:hunter2@", "http://host:port"),
        ("http://an%3An:hunter2@p.test", "http://host:port"), ("http://p test", "http://host:port"),
        ("::1", "http://host:port"),
    ])
    func `a variable that cannot be used fails a request that needs it, and is not repeated`(
        value: String, part: String
    ) throws {
        let proxies = ProxySelection.environment(["HTTPS_PROXY": value, "HTTP_PROXY": "p.test:1"])
        let error = #expect(throws: NetworkError.self) { try proxies.route(to: HTTPURL("https://a.test").origin) }
        let text = error?.description ?? ""
        #expect(text.contains("HTTPS_PROXY") && text.contains(part), "\(text)")
        #expect(!text.contains("hunter2"))
        #expect(error?.isUnsent == true && error?.isRetryable == false)
        // Another server does not need it.
        #expect(try proxies.route(to: HTTPURL("http://a.test").origin).proxy?.description == "http://p.test:1")
        #expect(try proxies.route(to: HTTPURL("https://localhost").origin) == .direct)
    }

    @Test func `a stated proxy is that of every server, and shows no password`() throws {
        let proxies = try ProxySelection.http(host: "p.test", port: 3128, user: "ann", password: Secret("hunter2"))
        for url in ["http://a.test", "https://127.0.0.1", "http://localhost"] {
            let route = try proxies.route(to: HTTPURL(url).origin)
            #expect(route.proxy?.description == "http://p.test:3128")
            #expect(!"\(route)".contains("hunter2") && !"\(route)".contains("YW5uOmh1bnRlcjI="))
        }
        #expect(try ProxySelection.none.route(to: HTTPURL("https://a.test").origin) == .direct)
    }

    @Test func `a proxy that cannot be one is refused when it is stated`() {
        #expect(throws: OptionsError.self) { try ProxySelection.http(host: "p test", port: 1) }
        #expect(throws: OptionsError.self) { try ProxySelection.http(host: "p.test", port: 0) }
        #expect(throws: OptionsError.self) { try ProxySelection.http(host: "p.test", port: 1, user: "a:b") }
    }

    @Test func `options are equal when they select the same proxies`() throws {
        let one = try AsyncHTTPOptions(proxy: .environment(["HTTP_PROXY": "p.test:1", "HOME": "/a"]))
        let two = try AsyncHTTPOptions(proxy: .environment(["HTTP_PROXY": "p.test:1", "HOME": "/b"]))
        #expect(one == two)
        let none = try AsyncHTTPOptions(proxy: .none)
        #expect(one != none)
        #expect(try AsyncHTTPOptions(proxy: .environment([:])) == none)
    }
}
