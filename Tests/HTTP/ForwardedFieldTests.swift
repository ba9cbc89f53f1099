import StrataHTTP
import Testing

struct ForwardedFieldTests {
    @Test func `the examples of RFC 7239 are read as they are meant`() {
        // RFC 7239, sections 4, 6.1, 6.3 and 7.1.
        #expect(ForwardedField(["for=\"_gazonk\""])?.elements == [["for": "_gazonk"]])
        #expect(ForwardedField(["For=\"[2001:db8:cafe::17]:4711\""])?.elements == [["for": "[2001:db8:cafe::17]:4711"]])
        #expect(
            ForwardedField(["for=192.0.2.60;proto=http;by=203.0.113.43"])?.elements
                == [["for": "192.0.2.60", "proto": "http", "by": "203.0.113.43"]])
        #expect(
            ForwardedField(["for=192.0.2.43, for=198.51.100.17"])?.elements
                == [["for": "192.0.2.43"], ["for": "198.51.100.17"]])
        #expect(
            ForwardedField(["for=_hidden, for=_SEVKISEK"])?.elements == [["for": "_hidden"], ["for": "_SEVKISEK"]])
        #expect(
            ForwardedField(["for=192.0.2.43", "for=\"[2001:db8:cafe::17]\""])?.elements
                == [["for": "192.0.2.43"], ["for": "[2001:db8:cafe::17]"]])
    }

    @Test(arguments: [
        ("", 0), (",", 0), (" , ,", 0), ("for=a,,for=b", 2), ("for=a;", 1), (";for=a", 1), (" for=a ; proto=http ", 1),
        ("for=\"a,b;c=d\"", 1), ("for=\"a\\\"b\", for=c", 2), ("for=\"\"", 1), ("FOR=a;Proto=HTTPS;ext=1", 1),
    ])
    func `commas separate elements, semicolons separate pairs, and quotes protect both`(text: String, count: Int) {
        #expect(ForwardedField([text])?.elements.count == count)
    }

    @Test(arguments: [
        "for", "for=", "=a", "for=a b", "for =a", "for= a", "for=a=b", "for=\"a", "for=\"a\\", "for=\"a\"b",
        "for=[::1]",
        "for=1.2.3.4:80", "for=a;for=b", "for=a;FOR=b", "for=a,for", "\u{0}", "for=é",
    ])
    func `malformed text is refused as a whole`(text: String) { #expect(ForwardedField([text]) == nil) }

    @Test func `a quoted pair is unescaped`() {
        #expect(ForwardedField([#"for="a\"\\b\c""#])?.elements == [["for": #"a"\bc"#]])
    }
}
