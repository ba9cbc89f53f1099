import FoundationEssentials
import StrataDomain
import Testing

struct JSONDateTests {
    private struct Note: Codable, Equatable { var at: Date? }

    private func read(_ value: String, _ dates: JSONForm.Dates) throws -> Date? {
        try JSONForm(dates: dates).decode(Note.self, from: Data(#"{"at":\#(value)}"#.utf8)).at
    }

    private func written(_ seconds: Double, _ dates: JSONForm.Dates) throws -> String {
        let bytes = try JSONForm(dates: dates).encode(Note(at: Date(timeIntervalSince1970: seconds)))
        return String(String(decoding: bytes, as: UTF8.self).dropFirst(#"{"at":"#.count).dropLast())
    }

    @Test(arguments: [
        ("2026-11-21T09:05:00Z", 1_795_251_900.0), ("2026-11-21T09:05:00.25Z", 1_795_251_900.25),
        ("2026-11-21", 1_795_219_200), ("2026-11-21T09:05:00", 1_795_251_900),
        ("2026-11-21T09:05:00.25", 1_795_251_900.25), ("2026-11-21 09:05:00", 1_795_251_900),
        ("2026-11-21T10:05:00.000+0100", 1_795_251_900), ("2026-11-21T03:35:00-0530", 1_795_251_900),
        ("2026-11-21T10:05:00+01", 1_795_251_900), ("2026-11-21 10:05:00 +0100", 1_795_251_900),
        ("2026-11-21 10:05:00 +01:00", 1_795_251_900),
    ])
    func `the common deviations of RFC 3339 are read by forms of other servers`(text: String, seconds: Double) throws {
        #expect(try read("\"\(text)\"", .rfc3339) == Date(timeIntervalSince1970: seconds))
        let form = JSONForm.snakeCase(dates: .rfc3339)
        #expect(
            try form.decode([Date].self, from: Data("[\"\(text)\"]".utf8)) == [Date(timeIntervalSince1970: seconds)])
    }

    @Test(arguments: [
        "2026-11-21", "2026-11-21T09:05:00", "2026-11-21T10:05:00+0100", "2026-11-21T10:05:00+01",
        "2026-11-21 10:05:00 +0100",
    ])
    func `Strata's own form stays strict`(text: String) {
        #expect(throws: WireJSON.Failure.self) { try WireJSON.decode([Date].self, from: Data("[\"\(text)\"]".utf8)) }
        #expect(throws: WireJSON.Failure.self) {
            try JSONForm.snakeCase.decode([Date].self, from: Data("[\"\(text)\"]".utf8))
        }
    }

    @Test(arguments: [
        "\"\"", "\"2026-13-01\"", "\"2026-02-30\"", "\"2026-11-21T\"", "\"2026-11-21T25:00:00\"",
        "\"2026-11-21T09:05\"",
        "\"2026-11-21T09:05:00+1\"", "\"2026-11-21T09:05:00+0160\"", "\"2026-11-21T09:05:00+2400\"",
        "\"2026-11-21T09:05:00.\"", "\"2026-11-21T09:05:00  +0100\"", "\"2026-11-21T09:05:00 GMT\"", "\"21.11.2026\"",
        "\"2026-11-2\u{20AC}\"", "1795251900", "true", "{}", "[]",
    ])
    func `a value that is no time is an error, also where a date is optional`(value: String) {
        let failure = #expect(throws: WireJSON.Failure.self) { try read(value, .rfc3339) }
        #expect(failure.map { "\($0)" } == "Note: 'at' must be an RFC 3339 time.")
    }

    @Test func `seconds and milliseconds since 1970 are numbers`() throws {
        #expect(try read("1795251900", .secondsSince1970) == Date(timeIntervalSince1970: 1_795_251_900))
        #expect(try read("1795251900.5", .secondsSince1970) == Date(timeIntervalSince1970: 1_795_251_900.5))
        #expect(try read("1795251900250", .millisecondsSince1970) == Date(timeIntervalSince1970: 1_795_251_900.25))
        #expect(try read("-1", .secondsSince1970) == Date(timeIntervalSince1970: -1))
        #expect(try read("null", .secondsSince1970) == nil)
        #expect(try written(1_795_251_900, .secondsSince1970) == "1795251900")
        #expect(try written(1_795_251_900.5, .secondsSince1970) == "1795251900.5")
        #expect(try written(1_795_251_900.25, .millisecondsSince1970) == "1795251900250")
        #expect(throws: (any Error).self) { try written(.infinity, .secondsSince1970) }
    }

    @Test(arguments: ["\"1795251900\"", "true", "\"2026-11-21T09:05:00Z\"", "{}", "[1]"])
    func `anything but a number is no time since 1970`(value: String) {
        let seconds = #expect(throws: WireJSON.Failure.self) { try read(value, .secondsSince1970) }
        #expect(seconds?.expected == "a time as a number of seconds since 1970")
        let milliseconds = #expect(throws: WireJSON.Failure.self) { try read(value, .millisecondsSince1970) }
        #expect(milliseconds?.expected == "a time as a number of milliseconds since 1970")
    }

    @Test(arguments: [
        ("dd.MM.yyyy HH:mm", "21.11.2026 09:05", 1_795_251_900.0), ("yyyyMMdd", "20261121", 1_795_219_200),
        ("EEE, d MMM yyyy HH:mm:ss Z", "Sat, 21 Nov 2026 09:05:00 +0000", 1_795_251_900),
        ("M/d/yyyy h:mm a", "11/21/2026 9:05 AM", 1_795_251_900),
        ("yyyy-MM-dd hh:mm a", "2026-11-21 12:05 PM", 1_795_262_700),
        ("yyyy-MM-dd hh:mm a", "2026-11-21 12:05 AM", 1_795_219_500),
        ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2026-11-21T09:05:00.250Z", 1_795_251_900.25),
        ("yyyy年MM月dd日", "2026年11月21日", 1_795_219_200),
        ("'at' HH''mm''ss dd MM yyyy", "at 09'05'00 21 11 2026", 1_795_251_900),
        ("yyyy-MM-dd HH:mm:ss.SSSSSS", "1969-12-31 23:59:59.999000", -0.001),
    ])
    func `a pattern is written in UTC and read as the same date`(pattern: String, text: String, seconds: Double) throws
    {
        #expect(try read("\"\(text)\"", .pattern(pattern)) == Date(timeIntervalSince1970: seconds))
        #expect(try written(seconds, .pattern(pattern)) == "\"\(text)\"")
    }

    @Test(arguments: [
        ("EEE, d MMM yyyy HH:mm:ss Z", "sat, 21 NOV 2026 10:05:00 +0100"), ("d.M.yyyy H:mm", "21.11.2026 9:05"),
        ("yyyy-MM-dd'T'HH:mm:ssXXX", "2026-11-21T03:35:00-05:30"), ("dd/MM/yyyy HH:mm:ss.SSS", "21/11/2026 09:05:00.0"),
    ])
    func `offsets, single digits and any case are read`(pattern: String, text: String) throws {
        #expect(try read("\"\(text)\"", .pattern(pattern)) == Date(timeIntervalSince1970: 1_795_251_900))
    }

    @Test(arguments: [
        ("dd.MM.yyyy", "31.11.2026"), ("dd.MM.yyyy", "21.13.2026"), ("dd.MM.yyyy", "00.11.2026"),
        ("dd.MM.yyyy", "1.11.2026"),
        ("dd.MM.yyyy", "21.11.2026 "), ("dd.MM.yyyy", " 21.11.2026"), ("dd.MM.yyyy", "21.11.26"), ("dd.MM.yyyy", ""),
        ("HH:mm", "24:00"), ("HH:mm", "23:60"), ("HH:mm:ss", "23:59:60"), ("hh:mm a", "13:00 PM"),
        ("hh:mm a", "00:00 AM"),
        ("hh:mm a", "09:05"), ("EEE d MMM yyyy", "Sun 21 Nov 2026"), ("EEE d MMM yyyy", "Xyz 21 Nov 2026"),
        ("HH:mm Z", "09:05 0100"), ("HH:mm Z", "09:05 +2400"), ("HH:mm Z", "09:05 +0160"), ("HH:mmXXX", "09:05+0100"),
        ("ss.SSS", "05."), ("yyyy", "２０２６"), ("MMM", "No"),
    ])
    func `text that does not fit a pattern is an error`(pattern: String, text: String) {
        let failure = #expect(throws: WireJSON.Failure.self) { try read("\"\(text)\"", .pattern(pattern)) }
        #expect(failure?.expected == "a time as '\(pattern)'")
    }

    @Test func `a pattern with an unknown letter is an error that names it`() {
        let reading = #expect(throws: WireJSON.Failure.self) { try read("\"1\"", .pattern("QQ yyyy")) }
        #expect(reading?.expected.contains("'QQ yyyy' has 'QQ'") == true)
        #expect(throws: EncodingError.self) { try written(0, .pattern("QQ yyyy")) }
    }

    @Test func `dates are converted by functions`() throws {
        // Seconds since 2001, as numbers or as text.
        let dates = JSONForm.Dates.converted(
            encode: { .number($0.timeIntervalSinceReferenceDate) },
            decode: { value in
                switch value {
                case .integer(let seconds): Date(timeIntervalSinceReferenceDate: Double(seconds))
                case .string(let text): Double(text).map(Date.init(timeIntervalSinceReferenceDate:))
                default: nil
                }
            })
        #expect(try read("5", dates) == Date(timeIntervalSinceReferenceDate: 5))
        #expect(try read("\"5\"", dates) == Date(timeIntervalSinceReferenceDate: 5))
        #expect(throws: WireJSON.Failure.self) { try read("true", dates) }
        #expect(try written(978_307_200.5, dates) == "0.5")
    }
}
