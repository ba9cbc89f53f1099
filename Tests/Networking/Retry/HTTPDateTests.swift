import FoundationEssentials
import StrataDomain
import StrataNetworking
import Testing

struct HTTPDateTests {
    private let now = Date(timeIntervalSince1970: 1_795_251_600)  // 2026-11-21T09:00:00Z

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000Z"),
        ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37.000Z"),
        ("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37.000Z"),
        ("Sun Nov 16 08:49:37 1994", "1994-11-16T08:49:37.000Z"),
        ("Saturday, 21-Nov-26 09:00:00 GMT", "2026-11-21T09:00:00.000Z"),
        ("Saturday, 21-Nov-76 09:00:00 GMT", "2076-11-21T09:00:00.000Z"),
        ("Saturday, 21-Nov-77 09:00:00 GMT", "1977-11-21T09:00:00.000Z"),
        ("Thu, 29 Feb 2024 00:00:00 GMT", "2024-02-29T00:00:00.000Z"),
        ("Fri, 31 Dec 1999 23:59:59 GMT", "1999-12-31T23:59:59.000Z"),
    ])
    func `reads the three forms`(text: String, expected: String) throws {
        let date = try #require(HTTPDate.date(from: text, now: now))
        #expect(RFC3339.string(from: date) == expected)
    }

    @Test(arguments: [
        "", "tomorrow", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:00:00 GMT", "Sunday, 06-Nov-194 08:49:37 GMT",
        "Sunday, 06-Nov--4 08:49:37 GMT", "1994-11-06T08:49:37Z", "Sun Nov 6 08:49:37 94",
        "Sun, 6 Nov 1994 08:49:37 GMT",
    ])
    func `refuses everything else`(text: String) {
        #expect(HTTPDate.date(from: text, now: now) == nil)
    }
}
