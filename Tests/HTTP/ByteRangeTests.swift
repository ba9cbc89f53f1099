import StrataHTTP
import Testing

struct ByteRangeTests {
    @Test(arguments: [
        ("bytes=0-0", 0..<1), ("bytes=0-9", 0..<10), ("bytes=9-", 9..<10), ("bytes=2-4", 2..<5), ("bytes=0-", 0..<10),
        ("bytes=5-100", 5..<10), ("bytes=-1", 9..<10), ("bytes=-10", 0..<10), ("bytes=-100", 0..<10),
        ("BYTES=1-2", 1..<3), ("bytes= 1-2", 1..<3), ("bytes=00-01", 0..<2), (" bytes=1-2\t", 1..<3),
        ("bytes=5-99999999999999999999999", 5..<10), ("bytes=-99999999999999999999999", 0..<10),
        ("bytes=9-9223372036854775807", 9..<10),
    ])
    func `a range selects its bytes of a content of ten bytes`(field: String, bytes: Range<Int>) {
        #expect(ByteRange([field])?.bytes(of: 10) == bytes)
    }

    @Test(arguments: [
        "bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999999-", "bytes=9223372036854775807-",
    ])
    func `a range after the end selects no bytes`(field: String) throws {
        let range = try #require(ByteRange([field]))
        #expect(range.bytes(of: 10) == nil)
    }

    @Test(arguments: [
        "bytes=5-4", "bytes=", "bytes=-", "bytes", "", "bytes=a-b", "bytes=1", "bytes=1-2-3", "bytes=--1",
        "bytes=+1-2", "bytes=0x1-2", "bytes=1.0-2", "bytes=1 -2", "bytes=0-1,3-4", "bytes=0-,0-,0-", "bytes=20-,0-1",
        "items=0-1", "bytes:0-1", "bytes=１-２",
    ])
    func `other text is not a range`(field: String) { #expect(ByteRange([field]) == nil) }

    @Test func `an absent field and two fields are not a range`() {
        #expect(ByteRange([]) == nil)
        #expect(ByteRange(["bytes=0-1", "bytes=0-1"]) == nil)
    }

    @Test func `an empty content has no first byte, and its last bytes are empty`() {
        #expect(ByteRange(["bytes=0-"])?.bytes(of: 0) == nil)
        #expect(ByteRange(["bytes=-1"])?.bytes(of: 0) == 0..<0)
    }

    @Test(
        arguments: [
            ("bytes 0-4/10", 0..<5, 10), ("bytes 9-9/10", 9..<10, 10), ("bytes 0-4/*", 0..<5, nil),
            ("BYTES 0-0/1", 0..<1, 1),
        ] as [(String, Range<Int>, Int?)])
    func `a content range is read and written`(text: String, range: Range<Int>, total: Int?) {
        let place = ContentRange(range, total: total)
        #expect(ContentRange(text) == place)
        #expect(ContentRange(place.text) == place)
    }

    @Test(arguments: [
        "", "bytes", "bytes */10", "bytes 4-0/10", "bytes 0-10/10", "bytes 0-4", "bytes 0-4/", "bytes -4/10",
        "lines 0-4/10", "bytes 0-4/10/20", "bytes 0-99999999999999999999/*", "bytes a-b/c", "bytes 0-4 / 10",
        "bytes=0-4/10", "bytes 0-9223372036854775807/*", "bytes +0-4/10", "bytes 0-4/9223372036854775807",
    ])
    func `an impossible content range is not read`(text: String) { #expect(ContentRange(text) == nil) }

    @Test func `two content ranges are not read`() {
        #expect(ContentRange(["bytes 0-4/10", "bytes 0-4/10"]) == nil)
        #expect(ContentRange(["bytes 0-4/10"]) != nil)
    }

    @Test func `the content range of a 416 contains the total length`() {
        #expect(ContentRange.total(ofUnsatisfied: ContentRange.unsatisfied(total: 10)) == 10)
        for text in ["bytes */*", "bytes 0-4/10", "bytes */x", "lines */10", ""] {
            #expect(ContentRange.total(ofUnsatisfied: text) == nil)
        }
    }
}
