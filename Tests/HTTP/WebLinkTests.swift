import StrataHTTP
import Testing

struct WebLinkTests {
    @Test func `the example links of RFC 8288 are read as they are meant`() throws {
        // RFC 8288, section 3.5.
        let first = try #require(
            WebLink.links(
                in: #"<http://example.com/TheBook/chapter2>; rel="previous"; title="previous chapter""#
            ).first)
        #expect(first.target == "http://example.com/TheBook/chapter2")
        #expect(first.relations == ["previous"])
        #expect(first.parameters["title"] == "previous chapter")
        #expect(WebLink.links(in: #"</>; rel="http://example.net/foo""#).first?.relations == ["http://example.net/foo"])
        let terms = WebLink.links(in: ##"</terms>; rel="copyright"; anchor="#foo""##).first
        #expect(terms?.anchor == "#foo")
        let two = WebLink.links(
            in: """
                </TheBook/chapter2>; rel="previous"; title*=UTF-8'de'letztes%20Kapitel, \
                </TheBook/chapter4>; rel="next"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel
                """)
        #expect(two.map(\.target) == ["/TheBook/chapter2", "/TheBook/chapter4"])
        #expect(two.map(\.relations) == [["previous"], ["next"]])
        let several = WebLink.links(in: #"<http://example.org/>; rel="start http://example.net/relation/other""#)
        #expect(several.first?.relations == ["start", "http://example.net/relation/other"])
    }

    @Test(
        arguments: [
            ("<https://api.test/items?page=2>; rel=\"next\"", "https://api.test/items?page=2"),
            ("<?page=2>;rel=next", "?page=2"), ("<a>; rel=NEXT", "a"), ("<a>; REL=\"prev Next\"", "a"),
            ("<a>; rel=prev, <b>; rel=next", "b"), ("<a,b;c>; rel=next", "a,b;c"),
            ("<a>; title=\"x, <c>; rel=next\"; rel=prev, <b>; rel=next", "b"),
            ("<a>; title=\"x\\\"y\"; rel=next", "a"), (" , ,<a> ; rel = next ,", "a"), ("<a>;;rel=next", "a"),
            ("<a>; rel=\"next", "a"), ("< a >; rel=next", "a"), ("<>; rel=next", ""), ("<a>; rel; rel=next", nil),
            ("<a>; rel=next; rel=prev", "a"), ("<a>; rel=prev; rel=next", nil), ("<a>; rel=next; anchor=\"/b\"", nil),
            ("<a> junk; rel=next, <b>; rel=next", "b"), ("<a; rel=next", nil), ("a; rel=next", nil), ("", nil),
            ("<a>; rel=prev, b, <c>; rel=next", nil), ("<a>; rel=nextpage", nil),
        ] as [(String, String?)])
    func `the next page is the target of the first link that says so`(field: String, target: String?) {
        #expect((["Link": field] as HeaderFields).link("next") == target)
    }

    @Test func `the links of several fields are one list`() {
        let fields: HeaderFields = ["Link": "<a>; rel=prev", "X": "<x>; rel=next", "link": "<b>; rel=next"]
        #expect(fields.links.map(\.target) == ["a", "b"])
        #expect(fields.link("Next") == "b")
        #expect(fields.link("last") == nil)
    }
}
