import StrataHTTP
import Testing

struct UploadFieldsTests {
    @Test func `a Boolean item is ?1 or ?0, and anything else is no value`() {
        for (line, value) in [("?1", true), ("?0", false), (" ?1 ", true), ("?1;a=b", true)] {
            #expect(UploadFields.boolean([line]) == value)
        }
        for line in ["", "1", "?2", "true", "?10", "\"?1\""] { #expect(UploadFields.boolean([line]) == nil, "\(line)") }
        #expect(UploadFields.boolean([]) == nil && UploadFields.boolean(["?1", "?1"]) == nil)
    }

    @Test func `an Integer item has 1 to 15 digits and no sign`() {
        for (line, value) in [("0", 0), ("007", 7), ("999999999999999", 999_999_999_999_999), ("5;a=b", 5)] {
            #expect(UploadFields.integer([line]) == value)
        }
        for line in ["", "-1", "+1", "1.0", "1000000000000000", "1 2", "?1", "0x1", "١"] {
            #expect(UploadFields.integer([line]) == nil, "\(line)")
        }
        #expect(UploadFields.integer(["1", "1"]) == nil)
    }

    @Test func `limits are read by name, and one that is no number voids the field`() {
        let all = UploadLimit(maxSize: 9, maxAppendSize: 5, maxAge: 60)
        #expect(UploadLimit(["max-size=9, max-append-size=5, max-age=60"]) == all)
        #expect(UploadLimit(["max-size=9, other=?1", "max-append-size=5;x=1,max-age=60"]) == all)
        #expect(UploadLimit([all.text]) == all)
        #expect(UploadLimit(["max-size=9, max-age=x"]) == UploadLimit())
        #expect(UploadLimit(["max-size"]) == UploadLimit() && UploadLimit([]) == UploadLimit())
        #expect(UploadLimit().text.isEmpty)
    }

    @Test(arguments: ["a.txt", "a \"b\".txt", "100%.txt", "潮.txt", "a;b'c.txt", "C:\\x"])
    func `a file name comes back from Content-Disposition as it was`(_ name: String) {
        #expect(ContentDisposition.fileName(ContentDisposition.inline(name)) == name)
        #expect(ContentDisposition.inline(name).hasPrefix("inline; "))
    }

    @Test func `a file name is read from either parameter, and never from two of one kind`() {
        #expect(ContentDisposition.fileName("attachment; filename=a.txt") == "a.txt")
        #expect(ContentDisposition.fileName(#"inline; filename="a\"b""#) == #"a"b"#)
        #expect(ContentDisposition.fileName("inline; filename=a; filename*=UTF-8'en'b%20c") == "b c")
        for field in [
            "inline", "inline; filename=a; filename=b", "inline; filename*=ISO-8859-1''a", "inline; filename*=a",
            "inline; filename*=UTF-8''%FF", "inline; filename=\"a",
        ] {
            #expect(ContentDisposition.fileName(field) == nil, "\(field)")
        }
    }
}
