import Foundation
import Testing

/// What nobody should send, sent to every route of the real server.
@Suite(.serialized) struct MalformedRequestTests {
    struct Case: Sendable {
        let name: String
        let bytes: [UInt8]
        var statuses = 400...499
    }

    @Test func `malformed requests over all routes get problems, and a 5xx only for an unknown method`() async throws {
        let (workspace, server) = try await Workspace.loggedIn()
        let token = try workspace.keptToken("access_token")
        let cases = Self.cases(token: token)
        var failures: [String] = []

        for item in cases {
            let answer = try await RawHTTP.send(item.bytes, port: server.port)
            if !item.statuses.contains(answer.status) { failures.append("\(item.name): status \(answer.status)") }
            let head = answer.head.lowercased()
            if !head.contains("content-type: application/problem+json") || !answer.body.contains("\"request_id\"") {
                failures.append("\(item.name): no problem document: \(answer.status) \(answer.body.prefix(120))")
            }
        }

        #expect(cases.count >= 200)
        #expect(failures.isEmpty, "\(failures.count) of \(cases.count):\n\(failures.joined(separator: "\n"))")
        print("malformed requests: \(cases.count) sent, \(failures.count) answered wrongly")
        #expect(try await server.get("/health/live").status == 200)
    }

    // MARK: - Cases

    private static let writes = [
        ("POST", "/v1/sessions"), ("POST", "/v1/oauth/token"), ("POST", "/v1/oauth/revoke"), ("POST", "/v1/users"),
        ("PUT", "/v1/users/none"), ("POST", "/v1/host-tokens"), ("POST", "/v1/runbooks"),
        ("PUT", "/v1/runbooks/none"), ("POST", "/v1/journal/entries"), ("PATCH", "/v1/journal/entries/none"),
        ("POST", "/v1/sync/mutations"),
    ]

    private static let reads = [
        "/v1/users/none", "/v1/runbooks/none", "/v1/journal/entries/none", "/v1/nothing", "/v1/runbooks/%FF",
        "/v1/journal/entries/%00", "/v1/users/%", "/v1/runbooks/" + String(repeating: "x", count: 5000),
        "/v1/users?page=0", "/v1/users?page=99999999999999999999", "/v1/users?limit=-1", "/v1/users?limit=abc",
        "/v1/users?page=9223372036854775807&limit=201", "/v1/runbooks?limit=0", "/v1/runbooks?limit=1e3",
        "/v1/runbooks?cursor=%00", "/v1/runbooks?cursor=garbage", "/v1/runbooks?limit=5&limit=6",
        "/v1/runbooks?q=%ff", "/v1/journal/entries?since=yesterday", "/v1/journal/entries?since=2026-13-01T00:00:00Z",
        "/v1/journal/entries?severity=bad", "/v1/journal/entries?cursor=%F0%9F%92%A9",
        "/v1/journal/entries?limit=9999999999999999999999", "/v1/sync/changes?cursor=zzz",
        "/v1/sync/changes?limit=0", "/v1/sync/changes?limit=1001", "/v1/sync/changes?wait=-1",
        "/v1/sync/changes?wait=31", "/v1/sync/changes?cursor=e30", "/v1/sync/changes?limit=%E2%82%AC",
    ]

    private static let bodies: [(String, [UInt8])] = [
        ("broken JSON", Array(#"{"title": "#.utf8)), ("empty body", []), ("array", Array("[]".utf8)),
        ("string", Array(#""x""#.utf8)), ("null", Array("null".utf8)), ("bad UTF-8", [0x7B, 0xFF, 0xFE, 0x7D]),
        (
            "wrong types",
            Array(#"{"title":1,"body":[],"text":{},"host":7,"username":[],"password":{},"name":5,"mutations":1}"#.utf8)
        ),
        ("huge number", Array(#"{"client_id":"x","mutations":[{"client_seq":1e999}],"title":1e999}"#.utf8)),
        ("deep nesting", [UInt8](repeating: 0x5B, count: 100_000)),
        ("NUL in text", Array(#"{"title":"a\u0000b","text":"a\u0000","host":"h\u0000","username":"\u0000"}"#.utf8)),
        (
            "lone surrogate",
            Array(#"{"title":"\ud800","body":"x","text":"\ud800","host":"h","username":"\ud800"}"#.utf8)
        ),
        ("oversized", [UInt8](repeating: 0x20, count: 3_000_000)),
    ]

    static func cases(token: String) -> [Case] {
        let host = "Host: 127.0.0.1"
        let ask = [host, "Connection: close", "Authorization: Bearer \(token)"]
        var cases: [Case] = []
        for (method, path) in writes {
            for (name, body) in bodies {
                let headers = ask + ["Content-Type: application/json", "If-Match: \"1\""]
                cases.append(
                    Case(
                        name: "\(method) \(path) \(name)",
                        bytes: RawHTTP.request(method, Array(path.utf8), headers: headers, body: body)))
            }
            for type in ["text/plain", "application/xml", "multipart/form-data"] {
                cases.append(
                    Case(
                        name: "\(method) \(path) as \(type)",
                        bytes: RawHTTP.request(
                            method, Array(path.utf8), headers: ask + ["Content-Type: \(type)"],
                            body: Array("{}".utf8))))
            }
            cases.append(
                Case(
                    name: "\(method) \(path) without body",
                    bytes: RawHTTP.request(
                        method, Array(path.utf8), headers: ask + ["Content-Type: application/json"])))
        }
        for path in reads {
            cases.append(
                Case(name: "GET \(path.prefix(60))", bytes: RawHTTP.request("GET", Array(path.utf8), headers: ask)))
        }
        for path in ["/v1/me", "/v1/users", "/v1/runbooks", "/v1/journal/entries", "/v1/sync/changes", "/v1/sessions"] {
            let target = Array(path.utf8)
            let anonymous = [host, "Connection: close"]
            cases += [
                Case(name: "GET \(path) anonymous", bytes: RawHTTP.request("GET", target, headers: anonymous)),
                Case(
                    name: "GET \(path) bad token",
                    bytes: RawHTTP.request("GET", target, headers: anonymous + ["Authorization: Bearer x.y.z"])),
                Case(
                    name: "GET \(path) odd scheme",
                    bytes: RawHTTP.request("GET", target, headers: anonymous + ["Authorization: Basic Og=="])),
                Case(
                    name: "GET \(path) two credentials",
                    bytes: RawHTTP.request("GET", target, headers: ask + ["X-API-Key: slh_x"])),
                // RFC 9110, section 9.1: a method that the server does not know.
                Case(
                    name: "BREW \(path)", bytes: RawHTTP.request("BREW", target, headers: ask), statuses: 501...501),
                Case(name: "DELETE \(path)x", bytes: RawHTTP.request("DELETE", target + [0x78], headers: ask)),
            ]
        }
        return cases
    }
}
