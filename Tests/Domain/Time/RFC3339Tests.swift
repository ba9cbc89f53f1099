import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

struct RFC3339Tests {
    @Test(arguments: [
        (0.0, "1970-01-01T00:00:00.000Z"), (1_795_251_900.25, "2026-11-21T09:05:00.250Z"),
        (-0.001, "1969-12-31T23:59:59.999Z"),
        (951_782_400, "2000-02-29T00:00:00.000Z"), (-2_203_891_200, "1900-03-01T00:00:00.000Z"),
        (253_402_300_799.999, "9999-12-31T23:59:59.999Z"), (-62_167_219_200, "0000-01-01T00:00:00.000Z"),
        (0.9996, "1970-01-01T00:00:01.000Z"), (4_107_542_399.999, "2100-02-28T23:59:59.999Z"),
    ])
    func `a time is written in UTC with milliseconds`(seconds: Double, text: String) throws {
        #expect(RFC3339.string(from: Date(timeIntervalSince1970: seconds)) == text)
    }

    @Test(arguments: [
        ("2026-11-21T09:05:00Z", 1_795_251_900.0), ("2026-11-21t09:05:00z", 1_795_251_900),
        ("2026-11-21 09:05:00Z", 1_795_251_900), ("2026-11-21T09:05:00.5Z", 1_795_251_900.5),
        ("2026-11-21T09:05:00.123456789Z", 1_795_251_900.123), ("2026-11-21T10:35:00+01:30", 1_795_251_900),
        ("2026-11-20T23:05:00-10:00", 1_795_251_900), ("2026-11-21T09:05:00-00:00", 1_795_251_900),
        ("0000-01-01T00:00:00Z", -62_167_219_200),
    ])
    func `a time is read with any offset and fraction`(text: String, seconds: Double) {
        #expect(RFC3339.date(from: text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T09:05:00", "2026-11-21T09:05Z", "2026-11-21T09:05:00ZZ", "2026-11-21T09:05:00Z ",
        " 2026-11-21T09:05:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z",
        "2100-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z", "2026-11-00T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T23:60:00Z",
        "2016-12-31T23:59:60Z",
        "2026-11-21T09:05:00.Z", "2026-11-21T09:05:00,5Z", "2026-11-21T09:05:00+0100", "2026-11-21T09:05:00+24:00",
        "2026-11-21T09:05:00+01:60", "26-11-21T09:05:00Z", "+2026-11-21T09:05:00Z", "-026-11-21T09:05:00Z",
        "2026-1-21T09:05:00Z", "２０２６-11-21T09:05:00Z", "2026-11-21T09:05:00Z\u{0}", "2026-11-21T09:05:00 Z",
        "2026-11-21T09:05:00.1e3Z", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "tomorrow",
        "2026-11-21T-9:05:00Z",
    ])
    func `any other text is not a time`(text: String) { #expect(RFC3339.date(from: text) == nil) }

    @Test func `every millisecond is written and read as the same date`() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<100_000 {
            let milliseconds = Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &random)
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            let text = RFC3339.string(from: date)
            if RFC3339.date(from: text) != date { Issue.record("\(milliseconds) became \(text)") }
        }
    }

    @Test func `the wall clock returns whole milliseconds`() {
        var random = SeededRandom(seed: 2)
        for _ in 0..<10_000 {
            let date = Date(timeIntervalSince1970: Double.random(in: 0...4_000_000_000, using: &random))
                .roundedToMillisecond
            if RFC3339.date(from: RFC3339.string(from: date)) != date { Issue.record("\(date.timeIntervalSince1970)") }
        }
    }

    @Test(arguments: [Double.infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude])
    func `dates outside the format become its first or last date`(seconds: Double) {
        let text = RFC3339.string(from: Date(timeIntervalSince1970: seconds))
        #expect(text == "9999-12-31T23:59:59.999Z" || text == "0000-01-01T00:00:00.000Z")
    }

    @Test func `random text is not a time and causes no crash`() {
        var random = SeededRandom(seed: 3)
        let alphabet = Array("0123456789-:TZ+. ")
        for _ in 0..<50_000 {
            let text = String(
                (0..<Int.random(in: 0...30, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "0" })
            if let date = RFC3339.date(from: text) { #expect(RFC3339.date(from: RFC3339.string(from: date)) == date) }
        }
    }
}
