import Foundation
import HTTPTypes
import HummingbirdTesting
import StrataDomain
import StrataService
import Testing

/// Requests that no well-meaning client sends. Each gets a 4xx problem document; none gets further.
@Suite struct MalformedRequestTests {
    struct Bad: Sendable, CustomTestStringConvertible {
        var method: HTTPRequest.Method
        var path: String
        var headers: HTTPFields = [:]
        var body: Data?
        var type: String? = "application/json"
        var testDescription: String { "\(method) \(path.prefix(60)) \(body.map { "\($0.count) bytes" } ?? "")" }
    }

    /// Bodies that are wrong for every endpoint with a typed body.
    private static let bodies: [Data] = {
        let texts = [
            "", " ", "{", "}", "[", "]", "null", "true", "0", "\"text\"", "{}", "[]", "[{}]", "{\"text\"}",
            "{\"text\":}",
            "{\"text\":\"a\",}", "{'text':'a'}", "{\"text\":\"a\" \"level\":1}", "{\"text\":\"a\",\"level\":\"1\"}",
            "{\"text\":null,\"level\":1}", "{\"text\":\"a\",\"level\":null}", "{\"text\":\"a\",\"level\":1.5}",
            "{\"text\":\"a\",\"level\":1e400}", "{\"text\":\"a\",\"level\":99999999999999999999}",
            "{\"text\":\"a\",\"level\":-99999999999999999999}", "{\"text\":[\"a\"],\"level\":1}",
            "{\"text\":{\"a\":1},\"level\":1}", "{\"text\":\"\\u0000\",\"level\":1}",
            "{\"text\":\"\\ud800\",\"level\":1}", "{\"text\":\"\\udc00x\",\"level\":1}",
            "{\"text\":\"\\ud800\\u0041\",\"level\":1}", "{\"text\":\"\\x41\",\"level\":1}",
            "{\"text\":\"\\u12\",\"level\":1}",
            "{\"text\":\"a\nb\",\"level\":1}", "{\"text\":\"a\",\"level\":NaN}", "{\"text\":\"a\",\"level\":Infinity}",
            "{\"text\":\"a\",\"level\":0x10}", "{\"text\":\"a\",\"level\":+1}", "{\"text\":\"a\",\"level\":01}",
            "{\"text\":\"a\",\"level\":1}x", "{\"text\":\"a\",\"level\":1}{}",
            "{\"text\":\"a\",\"level\":1,\"seen_at\":5}",
            "{\"text\":\"a\",\"level\":1,\"seen_at\":\"2026-13-01T00:00:00Z\"}",
            "{\"text\":\"a\",\"level\":1,\"seen_at\":\"2026-02-30T00:00:00Z\"}",
            "{\"text\":\"a\",\"level\":1,\"seen_at\":\"99999-01-01T00:00:00Z\"}", "<xml/>", "text=a&level=1",
            String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000),
            "{\"text\":" + String(repeating: "[", count: 65) + String(repeating: "]", count: 65) + ",\"level\":1}",
            "{\"text\":\"a\",\"level\":" + String(repeating: "9", count: 100_000) + "}",
        ]
        let bytes: [[UInt8]] = [
            [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00], [0x00], [0xC0, 0x80],
            [0xED, 0xA0, 0x80], [0x7B, 0x22, 0x74, 0x22, 0x3A, 0x22, 0xF0, 0x9F, 0x22, 0x7D],
        ]
        return texts.map { Data($0.utf8) } + bytes.map { Data($0) }
            + [Data(repeating: 0x20, count: 1024 * 1024 + 1), Data(repeating: 0x61, count: 3 * 1024 * 1024)]
    }()

    private static let fromBodies: [Bad] = bodies.flatMap { body in
        [
            Bad(method: .post, path: "/v1/notes", body: body),
            Bad(method: .put, path: "/v1/notes/a", headers: [.ifMatch: "\"1\""], body: body),
            Bad(method: .post, path: "/v1/sync/mutations", body: body.count > 1024 * 1024 ? Data([0x7B]) : body),
        ]
    }

    private static let fromTypes: [Bad] = [
        "text/plain", "text/json", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data", "*/*",
        "application/json/x", "application", ";", "\u{e9}", "application/octet-stream", "",
    ].flatMap { type in
        ["/v1/notes", "/v1/sync/mutations", "/v1/anything"].map { path in
            Bad(method: .post, path: path, body: Data(#"{"text":"a","level":1}"#.utf8), type: type)
        }
    }

    private static let fromTargets: [Bad] = [
        "/v1/notes?limit=0", "/v1/notes?limit=-1", "/v1/notes?limit=101", "/v1/notes?limit=1e3", "/v1/notes?limit=%31%",
        "/v1/notes?limit=%ff", "/v1/notes?cursor=%00", "/v1/notes?%00=1", "/v1/notes?urgent=1", "/v1/notes?urgent=TRUE",
        "/v1/notes?since=2026-11-21", "/v1/notes?since=0", "/v1/notes?level=9223372036854775808",
        "/v1/stations/x", "/v1/stations/1.0", "/v1/stations/9223372036854775808", "/v1/stations/-",
        "/v1/stations/%D9%A1", "/v1/stations/0x1", "/v1/stations/1%20", "/v1/stations/..", "/v1/stations/%2e%2e",
        "/v1/sync/changes?limit=0", "/v1/sync/changes?limit=1001", "/v1/sync/changes?wait=31",
        "/v1/sync/changes?wait=-1",
        "/v1/sync/changes?cursor=", "/v1/sync/changes?cursor=abc", "/v1/sync/changes?cursor=%F0%9F%8C%8A",
        "/v1/sync/changes?cursor=AAAAAAAAAAAAAAAAAAAA", "/v1/sync/changes?limit=1&limit=2",
        "/v1/notes/" + String(repeating: "a", count: 9000), "/v1/notes?cursor=" + String(repeating: "a", count: 9000),
        "/%", "/v1/%80/notes", "/../v1/notes", "/v1/notes/%2F%2F", "//", "/v1/notes/a/b", "*", "v1/notes", "",
        "?", "#", "/v1/notes#x", "http://[::1/v1/notes",
    ].map { Bad(method: .get, path: $0) }

    private static let fromHeaders: [Bad] = [
        ("Idempotency-Key", ""), ("Idempotency-Key", "with space"), ("Idempotency-Key", "ü"),
        ("Idempotency-Key", String(repeating: "k", count: 256)), ("X-Request-Deadline-Ms", "soon"),
        ("X-Request-Deadline-Ms", "-1"), ("X-Request-Deadline-Ms", "1.5"), ("X-Request-Deadline-Ms", ""),
        ("X-Request-Deadline-Ms", "99999999999999999999"), ("Authorization", "Bearer"), ("Authorization", "x"),
        ("X-API-Key", "second credential"),
    ].compactMap { name, value in
        HTTPField.Name(name).map { field in
            Bad(
                method: .post, path: "/v1/notes", headers: [field: value], body: Data(#"{"text":"a","level":1}"#.utf8))
        }
    }

    private static let fromMethods: [Bad] = ["TRACE", "OPTIONS", "CONNECT", "BREW", "get", "PROPFIND", "PATCH"].flatMap
    {
        name in
        ["/v1/notes", "/open", "/metrics", "/health/live"].compactMap { path in
            HTTPRequest.Method(name).map { Bad(method: $0, path: path) }
        }
    }

    static let all = fromBodies + fromTypes + fromTargets + fromHeaders + fromMethods

    @Test func `more than two hundred malformed requests are all refused with a 4xx problem`() async throws {
        #expect(Self.all.count > 200)
        try await withService { service, client in
            for bad in Self.all {
                var headers = bad.headers
                if headers[.authorization] == nil { headers[.authorization] = "Bearer anna" }
                let reply = try await client.send(
                    bad.method, bad.path, as: nil, headers: headers, body: bad.body, type: bad.type)
                #expect((400..<500).contains(reply.status), "\(bad) → \(reply.status) \(reply.text.prefix(200))")
                _ = try reply.problem()
            }
            let rows = try await service.store.count("note")
            #expect(rows == 0)
            #expect(!service.logLines.contains { $0.contains("unexpected error") })
        }
    }

    @Test func `odd but legal bodies are accepted`() async throws {
        try await withService { _, client in
            let legal = [
                #"{"text":"\ud83c\udf0a","level":1}"#, "  {\"text\" : \"a\\u00e9\", \"level\" : 1 } \n",
                #"{"text":"deep","level":1,"more":[[[[[[[[1]]]]]]]]}"#, #"{"level":1e0,"text":"exponent"}"#,
            ]
            for json in legal {
                let reply = try await client.send(.post, "/v1/notes", json: json)
                #expect(reply.status == 201, "\(json) \(reply.text)")
            }
        }
    }

    @Test func `of two equal keys the first counts`() async throws {
        try await withService { _, client in
            let reply = try await client.send(.post, "/v1/notes", json: #"{"text":"first","text":"second","level":1}"#)
            #expect(try reply.decoded(NotePayload.self).text == "first")
        }
    }

    @Test func `any JSON value passes through unchanged or is refused`() async throws {
        try await withService { _, client in
            for json in [
                "1", "-0.5", "\"a\"", "[1,\"x\",null,{\"a\":true}]", "9223372036854775807", "{\"some_key\":1}",
            ] {
                let reply = try await client.send(.post, "/v1/anything", json: json)
                #expect(reply.status == 200 && reply.text == json, "\(json) \(reply.text)")
            }
        }
    }
}
