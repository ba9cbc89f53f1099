import FoundationEssentials
import StrataDomain
import Testing

struct WireJSONTests {
    private struct Inner: Codable, Sendable, Equatable {
        var requestId: String
        var at: Date?
    }

    private struct Outer: Codable, Sendable, Equatable {
        var nextCursor: String?
        var items: [Inner]
        var extra: JSONValue?
        var labels: [String: Int]?
        var isDone: Bool?
        var ratio: Double?
    }

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try WireJSON.encode(value), as: UTF8.self)
    }

    private func failure(_ json: String) -> WireJSON.Failure? {
        do { _ = try WireJSON.decode(Outer.self, from: Data(json.utf8)) } catch { return error }
        return nil
    }

    @Test func `keys are sorted and in snake_case, and slashes are not escaped`() throws {
        let value = Outer(nextCursor: "a/b", items: [Inner(requestId: "1", at: Date(timeIntervalSince1970: 0.25))])
        #expect(
            try text(value) == #"{"items":[{"at":"1970-01-01T00:00:00.250Z","request_id":"1"}],"next_cursor":"a/b"}"#)
        #expect(try WireJSON.decode(Outer.self, from: WireJSON.encode(value)) == value)
    }

    @Test func `keys of dictionaries are unchanged`() throws {
        let value = Outer(
            items: [], extra: .object(["camelCase": .object(["snake_case": .null, "Ünï": .bool(true)])]),
            labels: ["aB": 1, "a_b": 2])
        let json = try text(value)
        for key in ["camelCase", "snake_case", "Ünï", "aB", "a_b"] { #expect(json.contains("\"\(key)\"")) }
        #expect(try WireJSON.decode(Outer.self, from: Data(json.utf8)) == value)
    }

    @Test(arguments: ["2026-11-21T09:05:00Z", "2026-11-21T09:05:00.0Z", "2026-11-21T10:05:00.000+01:00"])
    func `times are read with and without a fraction, with any offset`(time: String) throws {
        let json = Data(#"{"request_id":"1","at":"\#(time)"}"#.utf8)
        #expect(try WireJSON.decode(Inner.self, from: json).at == Date(timeIntervalSince1970: 1_795_251_900))
    }

    @Test(arguments: [
        ("{", WireJSON.Failure.Kind.notJSON, "body"), ("", .notJSON, "body"), ("{}", .missing, "items"),
        (#"{"items":null}"#, .mismatch, "items"), (#"{"items":{}}"#, .mismatch, "items"),
        (#"{"items":[{"request_id":"1"},{}]}"#, .missing, "items.1.request_id"),
        (#"{"items":[{"request_id":7}]}"#, .mismatch, "items.0.request_id"),
        (#"{"items":[{"request_id":"1","at":"CANARY"}]}"#, .mismatch, "items.0.at"),
        (#"{"items":[],"is_done":"CANARY"}"#, .mismatch, "is_done"),
        (#"{"items":[],"next_cursor":5}"#, .mismatch, "next_cursor"),
        (#"{"items":[],"labels":{"aB":"CANARY"}}"#, .mismatch, "labels"), ("[]", .mismatch, "body"),
        (#"{"items":[],"labels":{"aB":1.5}}"#, .mismatch, "labels"),
        (#"{"items":[],"ratio":0.5,"labels":{"a":1,"b":9223372036854775808}}"#, .mismatch, "labels.b"),
        (#"{"items":[],"ratio":1e999}"#, .mismatch, "ratio"),
        (#"{"items":[],"ratio":0.5,"labels":{"#, .notJSON, "body"),
        ("\"CANARY\"", .mismatch, "body"),
    ])
    func `a failure names the wire key, and no value`(
        json: String, kind: WireJSON.Failure.Kind, path: String
    ) {
        let failure = failure(json)
        #expect(failure?.kind == kind)
        #expect(failure?.path.hasPrefix(path) == true)
        #expect(failure.map { "\($0)" }?.contains("CANARY") == false)
        #expect(failure?.type == "Outer")
    }

    @Test func `the message of a failure names the expected kind`() {
        #expect(failure("{}").map { "\($0)" } == "Outer: key 'items' is missing; expected a value.")
        #expect(failure(#"{"items":7}"#).map { "\($0)" } == "Outer: 'items' must be an array.")
        #expect(failure(#"{"items":[],"ratio":"x"}"#).map { "\($0)" } == "Outer: 'ratio' must be a number.")
        #expect(failure(#"{"items":[{"request_id":"1","at":1}]}"#).map { "\($0)" }?.contains("items.0.at") == true)
    }

    @Test func `a number outside JSON is an error`() {
        #expect(throws: (any Error).self) { try WireJSON.encode(Double.infinity) }
        #expect(throws: (any Error).self) { try WireJSON.encode(Double.nan) }
    }
}
