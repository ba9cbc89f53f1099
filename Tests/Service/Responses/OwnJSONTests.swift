import FoundationEssentials
import StrataDomain
import Testing

@testable import StrataService

/// Response types of a feature that write their own JSON.
@Suite struct OwnJSONTests {
    struct Station: Codable, Sendable, JSONWritable {
        struct Reading: Codable, Sendable, JSONWritable {
            var level: Double
            var takenAt: Date

            func write(to text: inout JSONText) throws {
                text.raw(#"{"level":"#)
                try text.value(.number(level))
                text.raw(#","taken_at":"#)
                try text.value(takenAt.fieldValue)
                text.raw("}")
            }
        }

        var name: String
        var count: Int
        var remark: String?
        var isLit: Bool
        var tags: [String]
        var readings: [Reading]

        func write(to text: inout JSONText) throws {
            text.raw(#"{"count":"#)
            text.integer(count)
            text.raw(#","is_lit":"#)
            try text.value(.bool(isLit))
            text.raw(#","name":"#)
            text.string(name)
            text.raw(#","readings":"#)
            try readings.write(to: &text)
            if let remark {
                text.raw(#","remark":"#)
                text.string(remark)
            }
            text.raw(#","tags":"#)
            try text.value(.array(tags.map(JSONValue.string)))
            text.raw("}")
        }
    }

    private static let control = String(String.UnicodeScalarView((0..<0x20).compactMap(Unicode.Scalar.init)))
    private static let hostile = [
        control, "\"", "\\", "/", "</script>", "\u{7F}\u{80}\u{2028}\u{2029}\u{FEFF}", "e\u{301}é🌊👩‍🚀\u{FFFD}", "",
        "null",
    ]

    private static let stations: [Station] =
        hostile.map { Station(name: $0, count: 1, remark: $0, isLit: true, tags: [$0, $0], readings: []) } + [
            Station(name: "no remark", count: .min, remark: nil, isLit: false, tags: [], readings: []),
            Station(
                name: "numbers", count: .max, isLit: false, tags: [""],
                readings: [
                    0, -0.0, 100, -3, 1.5, 0.1 + 0.2, 1e15, 1e16, 1e21, 1e-7, .greatestFiniteMagnitude,
                    .leastNonzeroMagnitude,
                ]
                .map { .init(level: $0, takenAt: Date(timeIntervalSince1970: $0.magnitude > 1e6 ? 0.25 : $0)) }),
        ]

    private func expectSame(_ value: some JSONWritable & Encodable) throws {
        var text = JSONText()
        try value.write(to: &text)
        #expect(
            String(decoding: text.bytes, as: UTF8.self) == String(decoding: try WireJSON.encode(value), as: UTF8.self))
    }

    @Test(arguments: stations) func `a type that writes itself has the bytes of the encoder`(_ station: Station) throws
    {
        try expectSame(station)
    }

    @Test func `lists and pages have the bytes of the encoder`() throws {
        try expectSame(Self.stations)
        try expectSame([Station]())
        try expectSame(CursorPage(items: Self.stations, nextCursor: "\"next\\"))
        try expectSame(CursorPage(items: [Station](), nextCursor: nil))
    }

    @Test func `a JSON value has the bytes of the encoder, however deep`() throws {
        let value: JSONValue = .object([
            "b": .array([]), "aB": .array([.null, .array([.object([:]), .number(2.5), .string(Self.control)])]),
            "a_b": .object(["z": .bool(true), "Z": .integer(-1), "é": .number(3)]),
        ])
        var text = JSONText()
        try text.value(value)
        #expect(
            String(decoding: text.bytes, as: UTF8.self) == String(decoding: try WireJSON.encode(value), as: UTF8.self))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity]) func `a number that JSON does not have is an error`(
        _ number: Double
    ) {
        var text = JSONText()
        #expect(throws: EncodingError.self) { try text.value(.number(number)) }
    }

    /// Its two forms differ, so that a response shows which one was taken.
    struct Marked: Codable, Sendable, JSONWritable {
        var form = "encoded"
        func write(to text: inout JSONText) throws { text.raw(#"{"form":"written"}"#) }
    }
    struct Plain: Codable, Sendable { var form = "encoded" }

    struct GetValue<Value: Codable & Sendable>: RoutedEndpoint {
        static var route: Route { .get("/value") }
        typealias Response = Value
    }

    private func response<Value: Codable & Sendable>(_ value: Value) throws -> String {
        let encoder = ResponseEncoder(GetValue<Value>.self, .anyone)
        let response = try encoder.encode(value, to: try RequestLine("/value", limit: 100).target)
        #expect(response.headers["Content-Type"] == "application/json")
        return String(decoding: response.body, as: UTF8.self)
    }

    @Test func `an endpoint takes the own form of its response type, alone, in a list and in a page`() throws {
        #expect(try response(Marked()) == #"{"form":"written"}"#)
        #expect(try response([Marked()]) == #"[{"form":"written"}]"#)
        #expect(
            try response(CursorPage(items: [Marked()], nextCursor: nil))
                == #"{"items":[{"form":"written"}],"next_cursor":null}"#)
        #expect(try response(Plain()) == #"{"form":"encoded"}"#)
    }
}
