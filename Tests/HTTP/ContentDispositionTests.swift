import StrataHTTP
import Testing

struct ContentDispositionTests {
    @Test(arguments: [
        ("a.txt", #"attachment; filename="a.txt"; filename*=UTF-8''a.txt"#),
        ("a \"b\".txt", #"attachment; filename="a _b_.txt"; filename*=UTF-8''a%20%22b%22.txt"#),
        ("100%.txt", #"attachment; filename="100_.txt"; filename*=UTF-8''100%25.txt"#),
        ("潮.txt", #"attachment; filename="_.txt"; filename*=UTF-8''%E6%BD%AE.txt"#),
        ("a\r\nX: y", #"attachment; filename="a__X: y"; filename*=UTF-8''a%0D%0AX%3A%20y"#),
    ])
    func `a file name is escaped in Content-Disposition`(_ name: String, _ field: String) {
        #expect(ContentDisposition.attachment(name) == field)
    }
}
