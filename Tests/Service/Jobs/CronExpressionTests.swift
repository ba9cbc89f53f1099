import Foundation
import StrataHTTP
import Testing

@testable import StrataService

@Suite struct CronExpressionTests {
    private func time(_ text: String) throws -> Date { try #require(RFC3339.date(from: text)) }

    @Test(arguments: [
        // Each minute, also over the end of an hour, a day and a year.
        ("* * * * *", "2026-12-31T23:59:00Z", "2027-01-01T00:00:00Z"),
        ("* * * * *", "2026-11-26T17:00:00.999Z", "2026-11-26T17:01:00Z"),
        ("* * * * *", "2026-11-26T17:00:59Z", "2026-11-26T17:01:00Z"),
        // A time is not its own successor.
        ("0 3 * * *", "2026-11-26T03:00:00Z", "2026-11-27T03:00:00Z"),
        ("0 3 * * *", "2026-11-26T02:59:59Z", "2026-11-26T03:00:00Z"),
        ("*/15 * * * *", "2026-11-26T17:46:00Z", "2026-11-26T18:00:00Z"),
        ("7-59/20 * * * *", "2026-11-26T17:28:00Z", "2026-11-26T17:47:00Z"),
        ("0 8-18/5 * * *", "2026-11-26T13:00:00Z", "2026-11-26T18:00:00Z"),
        ("30 1,13 * * *", "2026-11-26T01:30:00Z", "2026-11-26T13:30:00Z"),
        // The leap day, over eight years without one.
        ("0 0 29 2 *", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z"),
        ("0 0 29 2 *", "2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"),
        ("0 0 29 2 *", "2000-01-01T00:00:00Z", "2000-02-29T00:00:00Z"),
        ("0 0 31 * *", "2026-03-31T00:00:00Z", "2026-05-31T00:00:00Z"),
        ("0 0 1 jan *", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        // 2026-11-26 is a Thursday.
        ("0 9 * * mon-fri", "2026-11-27T09:00:00Z", "2026-11-30T09:00:00Z"),
        ("0 9 * * 0", "2026-11-26T00:00:00Z", "2026-11-29T09:00:00Z"),
        ("0 9 * * 7", "2026-11-26T00:00:00Z", "2026-11-29T09:00:00Z"),
        ("0 9 * * SUN", "2026-11-26T00:00:00Z", "2026-11-29T09:00:00Z"),
        // Both fields of days: a day of either. One that begins with a star decides nothing.
        ("0 0 13 * fri", "2026-11-26T12:00:00Z", "2026-11-27T00:00:00Z"),
        ("0 0 13 * fri", "2026-12-11T00:00:00Z", "2026-12-13T00:00:00Z"),
        ("0 0 */2 * fri", "2026-11-26T12:00:00Z", "2026-11-27T00:00:00Z"),
        // The hours that summer time skips or repeats elsewhere exist once in UTC.
        ("30 2 * * *", "2026-03-29T00:00:00Z", "2026-03-29T02:30:00Z"),
        ("30 1 * * *", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"),
        ("0 0 * * *", "1969-12-30T12:00:00Z", "1969-12-31T00:00:00Z"),
    ])
    func `the next time is the first one after the given one`(_ text: String, _ from: String, _ next: String) throws {
        let expression = try CronExpression(text)
        let (from, next) = (try time(from), try time(next))
        #expect(expression.next(after: from) == next)
    }

    @Test(arguments: [
        "", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 0 *", "* * * 13 *",
        "* * * * 8", "-1 * * * *", "5-1 * * * *", "*/0 * * * *", "5/15 * * * *", "1,,2 * * * *", "a * * * *",
        "* * * * mo", "+1 * * * *", "1-2-3 * * * *", "*/ * * * *", "١ * * * *", "99999999999999999999 * * * *",
        // Dates that never come.
        "0 0 30 2 *", "0 0 31 4,6,9,11 *",
    ])
    func `what is no cron expression is refused with a sentence`(_ text: String) {
        let error = #expect(throws: CronError.self) { try CronExpression(text) }
        #expect(error?.description.contains("Write minute") == true)
    }

    @Test func `every successor is later and fits the fields`() throws {
        let expression = try CronExpression("*/7 5-6 1,15 * tue")
        var date = try time("2026-01-01T00:00:00Z")
        for _ in 0..<500 {
            let next = try #require(expression.next(after: date))
            #expect(next > date)
            let minutes = Int(next.timeIntervalSince1970) / 60
            #expect((minutes % 60) % 7 == 0 && [5, 6].contains(minutes / 60 % 24))
            date = next
        }
    }

    @Test func `an interval runs at whole multiples, and at least a second apart`() throws {
        let now = try time("2026-11-26T17:07:30Z")
        let (quarter, midnight) = (try time("2026-11-26T17:15:00Z"), try time("2026-11-27T00:00:00Z"))
        #expect(JobTimes.every(.seconds(900)).next(after: now) == quarter)
        #expect(JobTimes.every(.seconds(86_400)).next(after: now) == midnight)
        #expect(JobTimes.every(.milliseconds(1)).next(after: now) == now.addingTimeInterval(1))
    }

    @Test func `one time comes once, also when it has passed at the first start`() throws {
        let now = try time("2026-11-26T17:07:30Z")
        let past = JobTimes.once(at: now.addingTimeInterval(-60))
        #expect(past.first(at: now) == now.addingTimeInterval(-60) && past.next(after: now) == nil)
        let future = JobTimes.once(at: now.addingTimeInterval(60))
        #expect(future.first(at: now) == now.addingTimeInterval(60))
    }
}
