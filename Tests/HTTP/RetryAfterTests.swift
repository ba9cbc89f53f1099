import FoundationEssentials
import StrataHTTP
import Testing

struct RetryAfterTests {
    private let now = Date(timeIntervalSince1970: 1_795_251_600)  // 2026-11-21T09:00:00Z
    private static let tenYears = Duration.seconds(315_360_000)

    @Test(
        arguments: [
            ("0", .zero), ("1", .seconds(1)), ("007", .seconds(7)), ("120", .seconds(120)), (" 7", .seconds(7)),
            ("7 \t", .seconds(7)), ("315360000", tenYears), ("315360001", tenYears), ("1743440400", tenYears),
            ("9223372036854775807", tenYears), ("9223372036854775808", tenYears),
            ("99999999999999999999999999999999999999999", tenYears),
        ] as [(String, Duration)])
    func `seconds are read, up to ten years`(field: String, wait: Duration) {
        #expect(RetryAfter.wait(asked: ["Retry-After": field], now: now) == wait)
    }

    @Test(
        arguments: [
            ("Sat, 21 Nov 2026 09:00:07 GMT", .seconds(7)), ("Saturday, 21-Nov-26 09:00:07 GMT", .seconds(7)),
            ("Sat Nov 21 09:00:07 2026", .seconds(7)), ("Sun Nov 22 09:00:00 2026", .seconds(86_400)),
            ("Tue Dec  1 09:00:00 2026", .seconds(864_000)), (" Sat, 21 Nov 2026 09:00:07 GMT ", .seconds(7)),
            ("Sat, 21 Nov 2026 09:00:00 GMT", .zero), ("Sat, 21 Nov 2026 08:59:59 GMT", .zero),
            ("Thu, 01 Jan 1970 00:00:00 GMT", .zero), ("Fri, 31 Dec 9999 23:59:59 GMT", tenYears),
            ("Sat, 01 Jan 0000 00:00:00 GMT", .zero),
        ] as [(String, Duration)])
    func `a date in any of the three forms; one that has passed means now`(field: String, wait: Duration) {
        #expect(RetryAfter.wait(asked: ["Retry-After": field], now: now) == wait)
    }

    @Test(arguments: [
        "", " ", "-1", "-0", "+7", "7.5", "7,5", "1e3", "0x10", "٧", "７", "7s", "7 seconds", "seven", "NaN", "inf",
        "7, 8", "7;8", "7 8", "\"7\"", "PT7S", "tomorrow", "2026-11-21T09:00:07Z", "1795251607Z",
        "Sat, 21 Nov 2026 09:00:07", "sat, 21 nov 2026 09:00:07 gmt", "Sat, 32 Nov 2026 09:00:07 GMT",
        "Sat, 21 Nov 2026 09:00:07 GMT, 7", "\u{0}7", "7\u{0}", "\u{A0}7",
    ])
    func `any other value of Retry-After is ignored`(field: String) {
        #expect(RetryAfter.wait(asked: ["Retry-After": field], now: now) == nil)
    }

    @Test func `two Retry-After fields are ignored`() {
        var headers: HeaderFields = ["retry-after": "7"]
        headers.add("Retry-After", "7")
        #expect(RetryAfter.wait(asked: headers, now: now) == nil)
        #expect(RetryAfter.wait(asked: [:], now: now) == nil)
    }

    @Test(
        arguments: [
            ("Sat, 21 Nov 2026 08:00:00 GMT", .seconds(3607)), ("Sat, 21 Nov 2026 09:00:05 GMT", .seconds(2)),
            ("Sat, 21 Nov 2026 10:00:00 GMT", .zero), ("Saturday, 21-Nov-26 09:00:05 GMT", .seconds(2)),
            ("Sat Nov 21 09:00:05 2026", .seconds(2)), ("garbage", .seconds(7)), ("", .seconds(7)),
        ] as [(String, Duration)])
    func `a date is measured against the response's own, where that can be read`(date: String, wait: Duration) {
        let headers: HeaderFields = ["Retry-After": "Sat, 21 Nov 2026 09:00:07 GMT", "Date": date]
        #expect(RetryAfter.wait(asked: headers, now: now) == wait)
        #expect(RetryAfter.wait(asked: ["Retry-After": "7", "Date": date], now: now) == .seconds(7))
    }
}
