import FoundationEssentials
import Testing

@testable import StrataCaching

struct CacheDateTests {
    private let now = Date(timeIntervalSince1970: 1_795_251_600)  // 2026-11-21T09:00:00Z

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("SUN, 06 NOV 1994 08:49:37 gmt", 784_111_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 19 Jan 2038 14:14:08 GMT", 2_147_523_248),
        ("Sun, 21 Nov 2286 04:46:39 GMT", 10_000_039_599), ("Thursday, 18-Aug-50 02:01:18 GMT", 2_544_400_878),
        ("Thu Aug 18 02:01:18 2050", 2_544_400_878), ("Tue, 29 Feb 2028 00:00:00 GMT", 1_835_395_200),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Tue, 30 Jun 2026 23:59:60 GMT", 1_782_864_000),
        ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800),
    ])
    func `a legal date is read in each of its three forms`(text: String, seconds: Int) {
        #expect(CacheDate.date(text, now: now)?.timeIntervalSince1970 == Double(seconds))
    }

    @Test(arguments: [
        "", "0", "-1", "now", "foo", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18 AEST",
        "Thu, 18 Aug 2050 02:01:18 +0000", "Thu, 18 Aug 2050 02:01:18", "Thu, 18 Aug 50 02:01:18 GMT",
        "Thu 18 Aug 2050 02:01:18 GMT", "Thu, 18  Aug  2050 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT",
        "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 2050 24:01:18 GMT",
        "Thu, 18 Aug 2050 02:60:18 GMT", "Thu, 18 Aug 2050 02:01:61 GMT", "Thu, 32 Aug 2050 02:01:18 GMT",
        "Wed, 29 Feb 2027 00:00:00 GMT", "Wed, 29 Feb 2100 00:00:00 GMT", "Thu, 00 Aug 2050 02:01:18 GMT",
        "Thu, 18 Foo 2050 02:01:18 GMT", "Xyz, 18 Aug 2050 02:01:18 GMT", "Thu, 1８ Aug 2050 02:01:18 GMT",
        "Thu, 18 Aug 99999 02:01:18 GMT", "2050-08-18T02:01:18Z", "Thursday, 18-Aug-2050 02:01:18 GMT",
        "Thu, 18-Aug-50 02:01:18 GMT", "Thu Aug 18 02:01:18 50", "Thu Aug 8 02:01:18 2050 ",
        "Thu, 18 Aug 2050 02:01 GMT",
        " Thu, 18 Aug 2050 02:01:18 GMT", "Thu, -1 Aug 2050 02:01:18 GMT", "1795251600",
    ])
    func `any other date is none`(text: String) { #expect(CacheDate.date(text, now: now) == nil) }

    @Test func `a very long text is no date`() {
        #expect(CacheDate.date(String(repeating: "Thu, ", count: 100_000), now: now) == nil)
    }

    @Test(arguments: [0, 1, 784_111_777, 951_782_400, 951_868_800, 1_795_251_600, 4_107_542_400, 253_402_300_799])
    func `what is written is what is read`(seconds: Int) {
        let date = Date(timeIntervalSince1970: Double(seconds))
        #expect(CacheDate.date(CacheDate.text(date), now: now) == date)
    }

    @Test func `a date is written with its day of the week`() {
        #expect(CacheDate.text(Date(timeIntervalSince1970: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(CacheDate.text(now) == "Sat, 21 Nov 2026 09:00:00 GMT")
    }
}
