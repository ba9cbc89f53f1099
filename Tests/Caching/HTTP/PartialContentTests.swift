import FoundationEssentials
import StrataDomain
import Testing

@testable import StrataCaching
@testable import StrataHTTPCache

struct PartialContentTests {
    private func part(_ text: String, _ first: Int, of total: Int = 10, tag: String = "\"a\"") -> (StoredResponse, Data)
    {
        let body = Data(text.utf8)
        let range = first..<(first + body.count)
        let fields = [("ETag", tag), ("Content-Range", ContentRange(range, total: total).text)]
        return (.sample(fields, status: 206, length: body.count, range: range), body)
    }

    private func join(_ old: (StoredResponse, Data), _ new: (StoredResponse, Data)) -> (StoredResponse, String)? {
        PartialContent.combined(old.0, old.1, new.0, new.1).map {
            ($0.response, String(decoding: $0.body, as: UTF8.self))
        }
    }

    @Test(
        arguments: [
            ("01234", 0, "56789", 5, "0123456789", nil), ("56789", 5, "01234", 0, "0123456789", nil),
            ("0123", 0, "2345", 2, "012345", 0..<6), ("2345", 2, "0123", 0, "012345", 0..<6),
            ("234567", 2, "45", 4, "234567", 2..<8),
            ("45", 4, "234567", 2, "234567", 2..<8),
        ] as [(String, Int, String, Int, String, Range<Int>?)])
    func `parts that touch become one`(
        old: String, at: Int, new: String, then: Int, whole: String, range: Range<Int>?
    ) {
        let joined = join(part(old, at), part(new, then))
        #expect(joined?.1 == whole)
        #expect(joined?.0.range == range)
        #expect(joined?.0.status == (range == nil ? 200 : 206))
        #expect(joined?.0.length == whole.utf8.count)
        #expect(joined?.0.fields["Content-Range"] == range.map { ContentRange($0, total: 10).text })
        #expect(joined?.0.fields["Content-Length"] == "\(whole.utf8.count)")
    }

    @Test func `new bytes replace old ones where two parts overlap`() {
        #expect(join(part("0123", 0), part("xyz", 2))?.1 == "01xyz")
    }

    @Test func `parts with a gap or of different representations are not joined`() {
        #expect(join(part("01", 0), part("56", 5)) == nil)
        #expect(join(part("01234", 0), part("56789", 5, tag: "\"b\"")) == nil)
        #expect(join(part("01234", 0, tag: "W/\"a\""), part("56789", 5, tag: "W/\"a\"")) == nil)
        #expect(join(part("01234", 0, tag: ""), part("56789", 5, tag: "")) == nil)
    }

    @Test func `a body of another length than its range is not joined`() {
        let (response, body) = part("01234", 0)
        #expect(PartialContent.combined(response, body.dropLast(), part("56789", 5).0, part("56789", 5).1) == nil)
    }
}
