import ScaffoldKit
import Testing

struct BaseURLTests {
    @Test(arguments: [
        ("https://api.example.com", "https://api.example.com"), ("http://localhost:8080/", "http://localhost:8080"),
        ("HTTPS://API.Example.com/V2//", "https://api.example.com/V2"), ("http://[::1]:8080/a", "http://[::1]:8080/a"),
        ("http://127.0.0.1:65535/a/b%20c", "http://127.0.0.1:65535/a/b%20c"), ("https://a_b.example/~x;y=1", nil),
    ])
    func `an address of an API is kept with its path`(text: String, kept: String?) throws {
        #expect(try BaseURL(text).description == kept ?? text)
        #expect(try BaseURL(BaseURL(text).description).description == kept ?? text)
    }

    @Test(arguments: [
        ("", "does not begin"), ("api.example.com", "does not begin"), ("ftp://x.example", "does not begin"),
        ("https:/x.example", "does not begin"), ("https://", "no host"), ("https:///v1", "no host"),
        ("https://.", "no host"), ("https://:8080", "no host"), ("https://x.example:0", "a port"),
        ("https://x.example:65536", "a port"), ("https://x.example:8o", "a port"), ("https://x.example:", "a port"),
        ("http://[::1", "no host"), ("http://[abc]", "no host"), ("http://[::1]x", "no host"), ("http://a/[", "'%'"),
        ("https://x.example?a=b", "a query"), ("https://x.example/#a", "a query"), ("https://x.example/%", "'%'"),
        ("https://x.example/%2g", "'%'"), ("https://x.example/a b", "a character"),
        ("https://x.example/\"", "a character"), ("https://x.example/\\(x)", "a character"),
        ("https://x.example/ü", "a character"), ("https://x.example/\n", "a character"),
        ("https://x.example/\(String(repeating: "a", count: 200))", "200 bytes"),
    ])
    func `what is no such address is refused with one that is`(text: String, reason: String) {
        let error = #expect(throws: ScaffoldRefusal.self) { try BaseURL(text) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("https://api.example.com/v1") == true)
        #expect(error?.exitCode == .usage)
    }

    @Test(arguments: ["https://ann:hunter2@x.example", "https://hunter2@x.example/v1", "hunter2@x"])
    func `a user or a password is refused and not repeated`(text: String) {
        let error = #expect(throws: ScaffoldRefusal.self) { try BaseURL(text) }
        #expect(error?.description.contains("--auth") == true)
        #expect(error?.description.contains("hunter2") == false)
    }
}
