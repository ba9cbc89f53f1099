import Foundation
import StrataDomain
import Testing

@testable import StrataService

@Suite struct ByteRangeTests {
    @Test(arguments: [
        ("bytes=0-0", ByteRange.part(0..<1)), ("bytes=0-9", .part(0..<10)), ("bytes=9-", .part(9..<10)),
        ("bytes=2-4", .part(2..<5)), ("bytes=0-", .part(0..<10)), ("bytes=5-100", .part(5..<10)),
        ("bytes=-1", .part(9..<10)), ("bytes=-10", .part(0..<10)), ("bytes=-100", .part(0..<10)),
        ("BYTES=1-2", .part(1..<3)), ("bytes= 1-2", .part(1..<3)), ("bytes=00-01", .part(0..<2)),
        ("bytes=5-99999999999999999999999", .part(5..<10)), ("bytes=-99999999999999999999999", .part(0..<10)),
        ("bytes=9-9223372036854775807", .part(9..<10)),
        ("bytes=10-", .unsatisfiable), ("bytes=10-20", .unsatisfiable), ("bytes=-0", .unsatisfiable),
        ("bytes=99999999999999999999999-", .unsatisfiable), ("bytes=9223372036854775807-", .unsatisfiable),
        ("bytes=5-4", .whole), ("bytes=", .whole), ("bytes=-", .whole), ("bytes", .whole), ("", .whole),
        ("bytes=a-b", .whole), ("bytes=1", .whole), ("bytes=1-2-3", .whole), ("bytes=--1", .whole),
        ("bytes=+1-2", .whole), ("bytes=0x1-2", .whole), ("bytes=1.0-2", .whole), ("bytes=1 -2", .whole),
        ("bytes=0-1,3-4", .whole), ("bytes=0-,0-,0-", .whole), ("bytes=20-,0-1", .whole), ("items=0-1", .whole),
        ("bytes:0-1", .whole), ("bytes=１-２", .whole),
    ])
    func `a range of ten bytes`(_ field: String, _ range: ByteRange) {
        #expect(ByteRange([field], size: 10) == range)
    }

    @Test func `of nothing there is no range`() {
        #expect(ByteRange(["bytes=0-"], size: 0) == .unsatisfiable)
        #expect(ByteRange(["bytes=-1"], size: 0) == .whole)
        #expect(ByteRange([], size: 0) == .whole)
    }

    @Test func `two fields are none`() { #expect(ByteRange(["bytes=0-1", "bytes=0-1"], size: 10) == .whole) }

    @Test func `If-Range allows the very state only`() {
        let tag = EntityTag("a")
        #expect(Conditions.allowsRange(tag, []) && Conditions.allowsRange(tag, ["\"a\""]))
        for fields in [["W/\"a\""], ["\"b\""], ["Sat, 21 Nov 2026 05:00:00 GMT"], ["\"a\"", "\"a\""], ["a"], [""]] {
            #expect(!Conditions.allowsRange(tag, fields))
        }
    }

    @Test(arguments: [
        ("a.txt", #"attachment; filename="a.txt"; filename*=UTF-8''a.txt"#),
        ("a \"b\".txt", #"attachment; filename="a _b_.txt"; filename*=UTF-8''a%20%22b%22.txt"#),
        ("100%.txt", #"attachment; filename="100_.txt"; filename*=UTF-8''100%25.txt"#),
        ("潮.txt", #"attachment; filename="_.txt"; filename*=UTF-8''%E6%BD%AE.txt"#),
        ("a\r\nX: y", #"attachment; filename="a__X: y"; filename*=UTF-8''a%0D%0AX%3A%20y"#),
    ])
    func `a file name cannot leave its field`(_ name: String, _ field: String) {
        #expect(ContentDisposition.attachment(name) == field)
    }
}
