import StrataNetworking
import Testing

struct BaseURLTests {
    @Test(arguments: [
        ("http://h", "/v1/a?b=c", "http://h/v1/a?b=c"), ("http://h/", "/v1", "http://h/v1"),
        ("http://h:8080/api/", "/v1", "http://h:8080/api/v1"), ("http://h/api", "http://other/x", "http://other/x"),
    ])
    func `a path lies below the base URL, and a URL stays as it is`(base: String, target: String, url: String) throws {
        #expect(try HTTPURL(base).absolute(target) == url)
    }

    @Test(arguments: [
        ("http://h", "http://h/v1/a?b", "/v1/a"), ("http://h/api/", "http://h/api/v1", "/v1"),
        ("http://h/api", "http://h/apiary", nil), ("http://h/api", "http://h/api", nil),
        ("http://h", "https://h/v1", nil), ("http://h", "http://h:81/v1", nil),
    ])
    func `only a URL of the same origin and below the path has a relative path`(
        base: String, url: String, path: String?
    ) throws {
        #expect(try HTTPURL(base).relativePath(of: HTTPURL(url)) == path)
    }
}
