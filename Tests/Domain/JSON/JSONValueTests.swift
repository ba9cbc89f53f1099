import FoundationEssentials
import StrataDomain
import Testing

struct JSONValueTests {
    private func parse(_ text: String) throws -> JSONValue {
        try WireJSON.decode(JSONValue.self, from: Data(text.utf8))
    }

    @Test(arguments: [
        ("null", JSONValue.null), ("true", .bool(true)), ("0", .integer(0)), ("-9223372036854775808", .integer(.min)),
        ("9223372036854775807", .integer(.max)), ("1.5", .number(1.5)), ("\"x\"", .string("x")), ("\"\"", .string("")),
        ("[]", .array([])), ("{}", .object([:])), ("[1,[null]]", .array([.integer(1), .array([.null])])),
        (#"{"a_b":{"aB":false}}"#, .object(["a_b": .object(["aB": .bool(false)])])),
    ])
    func `every kind of value is read and written unchanged`(text: String, value: JSONValue) throws {
        #expect(try parse(text) == value)
        #expect(String(decoding: try WireJSON.encode(value), as: UTF8.self) == text)
    }

    @Test func `true is not read as 1, and 1 is not read as true`() throws {
        #expect(try parse("[1,0]") == .array([.integer(1), .integer(0)]))
        #expect(try parse("[true,false]") == .array([.bool(true), .bool(false)]))
    }

    @Test func `a value is encoded with wire keys and decoded to the same value`() throws {
        struct Reading: Codable, Equatable, Sendable { var takenAt: Date, barName: String, metres: Double? }
        let reading = Reading(takenAt: Date(timeIntervalSince1970: 1.5), barName: "north", metres: 2)
        let value = try JSONValue(encoding: reading)
        #expect(value.object?.keys.sorted() == ["bar_name", "metres", "taken_at"])
        #expect(value.object?["bar_name"]?.string == "north")
        #expect(try value.decode(Reading.self) == reading)
    }

    @Test(arguments: [#"{"text":"a\("}"#, #"["\u12"]"#, #""\q""#, #"{"a":{"b":["\ud800x"]}}"#])
    func `text with an escape that JSON does not have is no JSON, wherever it stands`(_ text: String) {
        let failure = #expect(throws: WireJSON.Failure.self) { try parse(text) }
        #expect(failure?.kind == .notJSON)
    }

    @Test func `a deep document is an error, not a crash`() {
        let depth = 100_000
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(throws: WireJSON.Failure.self) { try parse(text) }
    }

    @Test func `a number is equal to itself after encoding and decoding`() throws {
        let sent: JSONValue = .object(["level": .number(1), "share": .number(0.5), "count": .integer(7)])
        let received = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(sent))
        #expect(received == sent)
        #expect(received.hashValue == sent.hashValue)
        #expect(JSONValue.number(.nan) != .integer(0))
        #expect(JSONValue.number(1e300) != .integer(.max))
    }
}
