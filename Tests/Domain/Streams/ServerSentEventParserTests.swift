import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

struct ServerSentEventParserTests {
    private func parse(
        _ chunks: [Data], since id: String = "", upTo limit: Int = 1 << 20
    ) throws(NetworkError) -> (events: [ServerSentEvent], parser: ServerSentEventParser) {
        var parser = ServerSentEventParser(lastEventID: id, upTo: limit)
        var events: [ServerSentEvent] = []
        for chunk in chunks {
            parser.append(chunk)
            while let event = try parser.next() { events.append(event) }
        }
        if let event = try parser.finish() { events.append(event) }
        return (events, parser)
    }

    private func parse(_ text: String, since id: String = "") throws(NetworkError) -> [ServerSentEvent] {
        try parse([Data(text.utf8)], since: id).events
    }

    // The examples are those of HTML, section 9.2.6.

    @Test func `data lines are joined by line feeds`() throws {
        #expect(try parse("data: YHOO\ndata: +2\ndata: 10\n\n") == [ServerSentEvent(data: "YHOO\n+2\n10")])
    }

    @Test func `comments are skipped, an empty id takes the id away, and one space is cut`() throws {
        let text = """
            : test stream

            data: first event
            id: 1

            data:second event
            id

            data:  third event
            """
        #expect(
            try parse(text) == [ServerSentEvent(id: "1", data: "first event"), ServerSentEvent(data: "second event")])
        #expect(try parse(text + "\n\n").last == ServerSentEvent(data: " third event"))
    }

    @Test func `an empty data line is an event, and one without a blank line after it is dropped`() throws {
        #expect(try parse("data\n\ndata\ndata\n\ndata:") == [ServerSentEvent(data: ""), ServerSentEvent(data: "\n")])
    }

    @Test func `a space after the colon makes no difference`() throws {
        #expect(
            try parse("data:test\n\ndata: test\n\n") == [ServerSentEvent(data: "test"), ServerSentEvent(data: "test")])
    }

    @Test func `the type is that of its own event only`() throws {
        let events = try parse("event: add\ndata: 1\n\ndata: 2\n\nevent: remove\n\ndata: 3\n\n")
        #expect(events.map(\.event) == ["add", "message", "message"])
        #expect(events.map(\.data) == ["1", "2", "3"])
    }

    @Test func `an id stays until another one, also over connections`() throws {
        let events = try parse("data: 0\n\nid: a\ndata: 1\n\ndata: 2\n\nid: b\u{0}c\ndata: 3\n\n", since: "z")
        #expect(events.map(\.id) == ["z", "a", "a", "a"])
    }

    @Test func `a block without data sets the id, and an unfinished block does not`() throws {
        let (events, parser) = try parse([Data("id: 7\n\nid: 8\ndata: x\n".utf8)])
        #expect(events.isEmpty)
        #expect(parser.lastEventID == "7")
    }

    @Test(
        arguments: [
            ("10000", Duration.seconds(10)), ("0", .zero), ("007", .milliseconds(7)), ("1e3", nil), ("-1", nil),
            ("", nil),
            ("1 ", nil), ("٣", nil), ("99999999999999999999999", .seconds(3600)),
        ] as [(String, Duration?)])
    func `retry has digits only`(text: String, wait: Duration?) throws {
        let (events, parser) = try parse([Data("retry: \(text)\ndata: x\n\ndata: y\n\n".utf8)])
        #expect(events.map(\.retry) == [wait, nil])
        #expect(parser.retry == wait)
    }

    @Test func `unknown fields and fields of another case are ignored`() throws {
        #expect(try parse("Data: x\ndata : y\n data: z\nfoo\nid : 3\ndata: w\n\n") == [ServerSentEvent(data: "w")])
    }

    @Test func `a byte order mark counts at the start only`() throws {
        #expect(
            try parse("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\ndata: \u{FEFF}c\n\n") == [
                ServerSentEvent(data: "a"), ServerSentEvent(data: "\u{FEFF}c"),
            ])
    }

    private static let sample = Data(
        "\u{FEFF}: hi\r\rid: 1\r\ndata: ä\r\ndata:\r\n\r\nevent: e\nretry: 5\ndata: {\"a_b\":1}\n\r\nid\rdata: 🙂\r\r\n\ndata: cut"
            .utf8)

    @Test func `every cut into two and into bytes gives the same events`() throws {
        let whole = try parse([Self.sample]).events
        #expect(
            whole == [
                ServerSentEvent(id: "1", data: "ä\n"),
                ServerSentEvent(id: "1", event: "e", data: #"{"a_b":1}"#, retry: .milliseconds(5)),
                ServerSentEvent(data: "🙂"),
            ])
        for place in 0...Self.sample.count {
            let halves = [Self.sample.prefix(place), Self.sample.dropFirst(place)]
            #expect(try parse(halves).events == whole, "cut at \(place)")
        }
        #expect(try parse(Self.sample.map { Data([$0]) }).events == whole)
    }

    @Test(arguments: 0..<10)
    func `a damaged stream gives the same events and the same failure however it is cut`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            var bytes = Array(Self.sample)
            for _ in 0..<Int.random(in: 1..<8, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 2: bytes.insert([0x0A, 0x0D, 0x3A, 0x00].randomElement(using: &random) ?? 0, at: place)
                default: bytes.insert(contentsOf: bytes[place...], at: place)
                }
            }
            var rest = Data(bytes)
            var chunks: [Data] = []
            while !rest.isEmpty {
                let count = Int.random(in: 1...rest.count, using: &random)
                chunks.append(rest.prefix(count))
                rest = Data(rest.dropFirst(count))
            }
            #expect(outcome([Data(bytes)]) == outcome(chunks), "\(bytes)")
        }
    }

    /// The events before the failure, if any, and the failure.
    private func outcome(_ chunks: [Data]) -> [String] {
        var parser = ServerSentEventParser(upTo: 24)
        var texts: [String] = []
        do {
            for chunk in chunks {
                parser.append(chunk)
                while let event = try parser.next() { texts.append("\(event)") }
            }
        } catch {
            texts.append("\(error)")
        }
        return texts
    }

    @Test(arguments: [
        ("data: 12345678901234567890\n\n", 26, true), ("data: 12345678901234567890\n\n", 25, false),
        ("data: 1234\ndata: 567890\n\n", 12, true), ("data: 1234567\ndata: 567\n\n", 13, true),
        ("data: 123\ndata: 456\ndata: 789\n\n", 10, false), ("data: 123\ndata: 456\ndata: 789\n\n", 11, true),
        (": 0123456789 no end", 10, false),
    ])
    func `lines and data are bounded, and the limit is named`(text: String, limit: Int, fits: Bool) {
        do {
            _ = try parse([Data(text.utf8)], upTo: limit)
            #expect(fits)
        } catch {
            #expect(!fits)
            #expect(error.description.contains("\(limit) bytes"))
        }
    }

    @Test func `data is read as JSON`() throws {
        struct Row: Decodable, Equatable { var aB: Int }
        #expect(try ServerSentEvent(data: #"{"a_b":1}"#).decode(Row.self) == Row(aB: 1))
        let error = #expect(throws: NetworkError.self) { try ServerSentEvent(data: "{}").decode(Row.self) }
        #expect(error?.description.contains("a_b") == true)
    }
}
