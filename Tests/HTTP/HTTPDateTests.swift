import FoundationEssentials
import StrataHTTP
import Testing

struct HTTPDateTests {
    private let now = Date(timeIntervalSince1970: 1_795_251_600)  // 2026-11-21T09:00:00Z

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Sun Nov 16 08:49:37 1994", 784_975_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 19 Jan 2038 14:14:08 GMT", 2_147_523_248),
        ("Sun, 21 Nov 2286 04:46:39 GMT", 10_000_039_599), ("Thursday, 18-Aug-50 02:01:18 GMT", 2_544_400_878),
        ("Thu Aug 18 02:01:18 2050", 2_544_400_878), ("Tue, 29 Feb 2028 00:00:00 GMT", 1_835_395_200),
        ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
        ("Saturday, 21-Nov-26 09:00:00 GMT", 1_795_251_600), ("Saturday, 21-Nov-76 09:00:00 GMT", 3_373_174_800),
        ("Saturday, 21-Nov-77 09:00:00 GMT", 248_950_800), ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800),
    ])
    func `a date is read in each of its three forms`(text: String, seconds: Int) {
        #expect(HTTPDate.date(from: text, now: now)?.timeIntervalSince1970 == Double(seconds))
        #expect(HTTPDate.date(from: text, now: now, ignoringCase: true)?.timeIntervalSince1970 == Double(seconds))
    }

    @Test func `a leap second is read as the next second`() {
        let date = HTTPDate.date(from: "Tue, 30 Jun 2026 23:59:60 GMT", now: now)
        #expect(date?.timeIntervalSince1970 == 1_782_864_000)
    }

    @Test func `a wrong name of the day is accepted`() {
        let date = HTTPDate.date(from: "Mon, 06 Nov 1994 08:49:37 GMT", now: now)
        #expect(date?.timeIntervalSince1970 == 784_111_777)
    }

    @Test(arguments: [
        "SUN, 06 NOV 1994 08:49:37 gmt", "sun, 06 nov 1994 08:49:37 gmt", "SUNDAY, 06-nov-94 08:49:37 Gmt",
        "sun nov  6 08:49:37 1994",
    ])
    func `names in another case are read only on request`(text: String) {
        #expect(HTTPDate.date(from: text, now: now) == nil)
        #expect(HTTPDate.date(from: text, now: now, ignoringCase: true)?.timeIntervalSince1970 == 784_111_777)
    }

    @Test(arguments: [
        "", "0", "-1", "now", "foo", "tomorrow", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18 AEST",
        "Thu, 18 Aug 2050 02:01:18 +0000", "Thu, 18 Aug 2050 02:01:18", "Thu, 18 Aug 50 02:01:18 GMT",
        "Thu 18 Aug 2050 02:01:18 GMT", "Thu, 18  Aug  2050 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT",
        "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 2050 24:01:18 GMT",
        "Thu, 18 Aug 2050 02:60:18 GMT", "Thu, 18 Aug 2050 02:01:61 GMT", "Thu, 32 Aug 2050 02:01:18 GMT",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Wed, 29 Feb 2027 00:00:00 GMT", "Wed, 29 Feb 2100 00:00:00 GMT",
        "Thu, 00 Aug 2050 02:01:18 GMT", "Thu, 18 Foo 2050 02:01:18 GMT", "Xyz, 18 Aug 2050 02:01:18 GMT",
        "Thu, 1８ Aug 2050 02:01:18 GMT", "Thu, 18 Aug 99999 02:01:18 GMT", "2050-08-18T02:01:18Z",
        "Thursday, 18-Aug-2050 02:01:18 GMT", "Sunday, 06-Nov-194 08:49:37 GMT", "Sunday, 06-Nov--4 08:49:37 GMT",
        "Thu, 18-Aug-50 02:01:18 GMT", "Thu Aug 18 02:01:18 50", "Thu Aug 8 02:01:18 2050 ",
        "Thu, 18 Aug 2050 02:01 GMT", " Thu, 18 Aug 2050 02:01:18 GMT", "Thu, -1 Aug 2050 02:01:18 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "1795251600",
    ])
    func `any other text is not a date`(text: String) {
        #expect(HTTPDate.date(from: text, now: now) == nil)
        #expect(HTTPDate.date(from: text, now: now, ignoringCase: true) == nil)
    }

    @Test func `a very long text is not a date`() {
        #expect(HTTPDate.date(from: String(repeating: "Thu, ", count: 100_000), now: now) == nil)
    }

    @Test(arguments: [0, 1, 784_111_777, 951_782_400, 951_868_800, 1_795_251_600, 4_107_542_400, 253_402_300_799])
    func `a written date is read as the same date`(seconds: Int) {
        let date = Date(timeIntervalSince1970: Double(seconds))
        #expect(HTTPDate.date(from: HTTPDate.string(from: date), now: now) == date)
    }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
        (1_795_251_600, "Sat, 21 Nov 2026 09:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        (999_999_999_999, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
    func `a date is written as IMF-fixdate, without its fraction`(second: Int, text: String) {
        #expect(HTTPDate.string(from: Date(timeIntervalSince1970: Double(second) + 0.9)) == text)
    }
}
