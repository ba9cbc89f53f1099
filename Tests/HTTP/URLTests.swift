import StrataHTTP
import Testing

struct URLTests {
    @Test(arguments: [
        ("a b", "a%20b"), ("+&=/?#", "%2B%26%3D%2F%3F%23"), ("ü☂", "%C3%BC%E2%98%82"), ("~-._aZ9", "~-._aZ9"), ("", ""),
        ("\u{0}\n", "%00%0A"),
    ])
    func `every character except the unreserved ones is percent-encoded`(text: String, encoded: String) {
        #expect(PercentEncoding.encode(text) == encoded)
        #expect(PercentEncoding.decode(encoded) == text)
    }

    @Test(arguments: ["%", "%2", "%zz", "a%", "%G0", "%ff", "%C3", "%c3%28", "%ED%A0%80"])
    func `a broken escape and bytes that are not UTF-8 are not decoded`(text: String) {
        #expect(PercentEncoding.decode(text) == nil)
    }

    @Test func `a plus is a space only on request`() {
        #expect(PercentEncoding.decode("a+b") == "a+b")
        #expect(PercentEncoding.decode("a+b", plusIsSpace: true) == "a b")
        #expect(PercentEncoding.decode("%2b", plusIsSpace: true) == "+")
    }

    @Test func `every scalar is encoded and decoded to itself`() {
        for value in stride(from: UInt32(0), to: 0x11_0000, by: 97) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(Character(scalar))
            #expect(
                PercentEncoding.decode(PercentEncoding.encode(text))?.unicodeScalars.elementsEqual(text.unicodeScalars)
                    == true)
        }
    }

    @Test func `query items keep order, repetitions and empty values`() throws {
        let items: QueryItems = ["b": "1", "a": "", "b": "2", "": "x", "ü&": "=+"]
        #expect(items.encoded == "b=1&a=&b=2&=x&%C3%BC%26=%3D%2B")
        #expect(QueryItems(parsing: items.encoded) == items)
        #expect(QueryItems(parsing: "") == [:])
        #expect(QueryItems(parsing: "a&b=&&c=1=2") == ["a": "", "b": "", "c": "1=2"])
        #expect(QueryItems(parsing: "a=%zz") == nil)
    }
}
