import FoundationEssentials
import JournalDomain
import StrataDomain
import Testing

@Suite struct `Lines of a log` {
    /// After every time in these logs.
    private let now = Date.newYear.addingTimeInterval(365 * 86_400)

    private func parse(_ line: String, as format: LogFormat, in zone: TimeZone = .gmt) -> ParsedLine {
        parse(Array(line.utf8), as: format, in: zone)
    }

    private func parse(_ line: [UInt8], as format: LogFormat, in zone: TimeZone = .gmt) -> ParsedLine {
        var parser = LogParser(format, host: "here", timeZone: zone)
        return parser.parse(line, number: 7, now: now)
    }

    private func draft(
        _ line: String, as format: LogFormat, in zone: TimeZone = .gmt, _ location: SourceLocation = #_sourceLocation
    ) throws -> JournalEntry {
        guard case .entry(let entry, _) = parse(line, as: format, in: zone) else {
            try #require(Bool(false), "\(parse(line, as: format))", sourceLocation: location)
            return JournalEntry(host: "", text: "", occurredAt: now)
        }
        return entry
    }

    private func failure(_ result: ParsedLine) throws -> LineFailure {
        guard case .failure(let failure) = result else {
            try #require(Bool(false), "\(result)")
            return LineFailure(line: 0, reason: "")
        }
        return failure
    }

    // MARK: lines

    @Test func `a plain line gets the present time and this host`() {
        let expected = JournalEntry(host: "here", text: "disk full", occurredAt: now)
        #expect(parse("disk full", as: .lines) == .entry(expected, hasOwnTime: false))
    }

    @Test(arguments: [
        ("2026-01-01T10:00:00Z disk full", "2026-01-01T10:00:00Z"),
        ("2026-01-01T10:00:00.250Z  disk full", "2026-01-01T10:00:00.250Z"),
        ("2026-01-01T12:00:00+02:00\tdisk full", "2026-01-01T10:00:00Z"),
        ("2026-01-01 10:00:00Z disk full", "2026-01-01T10:00:00Z"),
        ("2026-01-01T10:00:00Z disk full\r", "2026-01-01T10:00:00Z"),
    ])
    func `a leading time becomes the time of the entry`(line: String, time: String) throws {
        let expected = JournalEntry(host: "here", text: "disk full", occurredAt: try Date(time))
        #expect(parse(line, as: .lines) == .entry(expected, hasOwnTime: true))
    }

    @Test(arguments: [
        "2026-01-01T10:00:00 disk full", "2026-01-01 10:00:00 disk full", "2026-13-01T10:00:00Z disk full",
        "2026-02-30T10:00:00Z disk full", "2026-01-01T25:00:00Z x", "2026-", "20260101T100000Z x", "2026-01-01Z x",
        "9999999999999999-01-01T10:00:00Z x", "at 2026-01-01T10:00:00Z x",
    ])
    func `a text that only looks like a time stays text`(line: String) throws {
        #expect(try draft(line, as: .lines).text == line)
        #expect(try draft(line, as: .lines).occurredAt == now)
    }

    @Test func `a time alone is no entry`() throws {
        #expect(try failure(parse("2026-01-01T10:00:00Z", as: .lines)).reason == "has a time but no text")
        #expect(try failure(parse("2026-01-01T10:00:00Z   ", as: .lines)).reason == "has a time but no text")
    }

    @Test(arguments: ["", " ", "\t \r", "\r", "\u{0B}\u{0C}"], LogFormat.allCases)
    func `a line of white space is no entry in any format`(line: String, format: LogFormat) {
        #expect(parse(line, as: format) == .blank)
    }

    @Test func `text of 16,384 bytes fits and one more does not`() throws {
        let longest = String(repeating: "é", count: 8192)
        #expect(try draft(longest, as: .lines).text == longest)
        let failure = try failure(parse(longest + "x", as: .lines))
        #expect(failure.reason.contains("16385"))
        #expect(failure.line == 7)
        #expect(failure.excerpt.count == 80)
    }

    @Test(
        arguments: [
            [0xFF], [0x61, 0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0x80, 0x62],
        ] as [[UInt8]], LogFormat.allCases)
    func `bytes that are not UTF-8 are refused by number`(bytes: [UInt8], format: LogFormat) throws {
        let failure = try failure(parse(bytes, as: format))
        #expect(failure.line == 7)
        #expect(failure.reason == "is not UTF-8 text")
    }

    @Test(arguments: ["a\u{0}b", "\u{1B}[31mred", "bell\u{7}", "del\u{7F}"])
    func `control characters are refused and never shown`(line: String) throws {
        let failure = try failure(parse(line, as: .lines))
        #expect(failure.reason.contains("control characters"))
        #expect(!failure.excerpt.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test func `an excerpt cannot turn the terminal's text around`() throws {
        let failure = try failure(parse("\u{202E}gnp.exe\u{0}", as: .lines))
        #expect(!failure.excerpt.unicodeScalars.contains("\u{202E}"))
    }

    @Test func `tabs and emoji are kept`() throws {
        #expect(try draft("a\tb 🚒 👩‍🚒", as: .lines).text == "a\tb 🚒 👩‍🚒")
    }

    // MARK: dpkg

    @Test func `a dpkg line is information about this host in local time`() throws {
        let line = "2026-01-01 10:00:00 status installed foo:amd64 1.0"
        let expected = JournalEntry(host: "here", text: "status installed foo:amd64 1.0", occurredAt: .newYear)
        #expect(parse(line, as: .dpkg) == .entry(expected, hasOwnTime: true))
    }

    @Test(arguments: ["status half-configured x:all 1", "trigproc man-db:amd64 2.11", "remove x:all 1 <none>"])
    func `no dpkg action is guessed to be serious`(action: String) throws {
        #expect(try draft("2026-01-01 10:00:00 \(action)", as: .dpkg).severity == .info)
    }

    @Test(arguments: [
        ("2026-01-15 12:00:00", "2026-01-15T11:00:00Z"),  // winter
        ("2026-07-15 12:00:00", "2026-07-15T10:00:00Z"),  // summer
        ("2026-03-29 01:59:59", "2026-03-29T00:59:59Z"),  // a second before the clock jumps
        ("2026-03-29 03:00:00", "2026-03-29T01:00:00Z"),  // a second later
        ("2026-10-25 03:00:00", "2026-10-25T02:00:00Z"),  // after the clock went back
    ])
    func `local time follows the zone's rules`(local: String, universal: String) throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        #expect(try draft("\(local) x", as: .dpkg, in: berlin).occurredAt == Date(universal))
    }

    @Test func `a time the clock skipped or showed twice is the same on every reading`() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        for local in ["2026-03-29 02:30:00", "2026-10-25 02:30:00"] {
            let dates = try (0..<3).map { _ in try draft("\(local) x", as: .dpkg, in: berlin).occurredAt }
            #expect(Set(dates).count == 1)
        }
    }

    @Test(arguments: [
        "status installed foo", "2026-01-01", "2026-01-01 10:00", "2026-01-01T10:00:00 x", "2026-01-32 10:00:00 x",
        "2026-01-01 24:00:00 x", "2026-01-01 10:00:60 x", "01/01/2026 10:00:00 x",
    ])
    func `a dpkg line without its time is refused`(line: String) throws {
        #expect(try failure(parse(line, as: .dpkg)).reason == "does not begin with a time like 2026-01-01 10:00:00")
    }

    // MARK: journald

    @Test func `a journal record brings time, host, text and severity`() throws {
        let line =
            #"{"__REALTIME_TIMESTAMP":"1767261600250999","MESSAGE":"oom","_HOSTNAME":"db1","PRIORITY":"3","X":[1]}"#
        let expected = JournalEntry(
            host: "db1", severity: .critical, text: "oom", occurredAt: try Date("2026-01-01T10:00:00.250Z"))
        #expect(parse(line, as: .journaldJSON) == .entry(expected, hasOwnTime: true))
    }

    @Test(
        arguments: zip(
            ["0", "1", "2", "3", "4", "5", "6", "7", "8", "-1", "x", ""],
            [.critical, .critical, .critical, .critical, .warning] + Array(repeating: Severity.info, count: 7)))
    func `priorities follow syslog`(priority: String, severity: Severity) throws {
        let line = #"{"__REALTIME_TIMESTAMP":"1767261600000000","MESSAGE":"x","PRIORITY":"\#(priority)"}"#
        #expect(try draft(line, as: .journaldJSON).severity == severity)
    }

    @Test func `a record without host or priority is information about this host`() throws {
        let draft = try draft(#"{"__REALTIME_TIMESTAMP":"1767261600000000","MESSAGE":"x"}"#, as: .journaldJSON)
        #expect((draft.host, draft.severity) == ("here", .info))
    }

    @Test(arguments: [
        (#"[104,195,169]"#, "hé"), (#"["one","two"]"#, "one\ntwo"), (#""a\tb""#, "a\tb"), (#""\ud83d\ude92""#, "🚒"),
    ])
    func `a message is text, bytes, or several texts`(message: String, text: String) throws {
        let line = #"{"__REALTIME_TIMESTAMP":"1767261600000000","MESSAGE":\#(message)}"#
        #expect(try draft(line, as: .journaldJSON).text == text)
    }

    @Test(arguments: [
        (#"{"#, "is no JSON"), (#"[]"#, "is no JSON"), (#""text""#, "is no JSON"), (#"{} {}"#, "is no JSON"),
        (#"{"MESSAGE":"x"}"#, "__REALTIME_TIMESTAMP"),
        (#"{"__REALTIME_TIMESTAMP":"soon","MESSAGE":"x"}"#, "__REALTIME_TIMESTAMP"),
        (#"{"__REALTIME_TIMESTAMP":"-1000000","MESSAGE":"x"}"#, "__REALTIME_TIMESTAMP"),
        (#"{"__REALTIME_TIMESTAMP":"9223372036854775807","MESSAGE":"x"}"#, "__REALTIME_TIMESTAMP"),
        (#"{"__REALTIME_TIMESTAMP":"99999999999999999999999","MESSAGE":"x"}"#, "__REALTIME_TIMESTAMP"),
        (#"{"__REALTIME_TIMESTAMP":"1767261600000000"}"#, "no MESSAGE"),
        (#"{"__REALTIME_TIMESTAMP":"1767261600000000","MESSAGE":null}"#, "no MESSAGE"),
        (#"{"__REALTIME_TIMESTAMP":"1767261600000000","MESSAGE":[255]}"#, "not UTF-8"),
        (#"{"__REALTIME_TIMESTAMP":"1767261600000000","MESSAGE":[256]}"#, "is no JSON"),
        (#"{"__REALTIME_TIMESTAMP":"1767261600000000","MESSAGE":7}"#, "is no JSON"),
        (#"{"__REALTIME_TIMESTAMP":"1767261600000000","MESSAGE":""}"#, "text must have"),
        (#"{"__REALTIME_TIMESTAMP":"1767261600000000","MESSAGE":"\u0000"}"#, "control characters"),
        (#"{"__REALTIME_TIMESTAMP":"1767261600000000","MESSAGE":"x","_HOSTNAME":"a b"}"#, "host must not"),
        (String(repeating: "[", count: 100_000), "is no JSON"),
    ])
    func `a record that cannot be an entry says why`(line: String, reason: String) throws {
        let failure = try failure(parse(line, as: .journaldJSON))
        #expect(failure.reason.contains(reason), "\(failure.reason)")
        #expect(failure.excerpt.count <= 80)
    }
}
