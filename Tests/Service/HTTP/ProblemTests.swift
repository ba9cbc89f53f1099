import Foundation
import HTTPTypes
import HummingbirdTesting
import StrataDomain
import StrataService
import Testing

@Suite struct ProblemTests {
    private static let requestId = HTTPField.Name("X-Request-Id")!

    @Test func `internal details are logged and not sent`() async throws {
        try await withService { service, client in
            let reply = try await client.send(.get, "/v1/fail/boom", headers: [Self.requestId: "r-1"])
            #expect(reply.status == 500)
            #expect(try reply.problem().code == "internal")
            #expect(!reply.text.contains("hunter2") && !reply.text.contains("Unexpected"))
            let line = try #require(service.logLines.first { $0.contains("unexpected error") })
            #expect(line.contains("request_id=r-1"))
        }
    }

    @Test(arguments: [("busy", 503, "1"), ("away", 503, "5"), ("full", 507, String?.none)])
    func `a transient failure is 503 with Retry-After, a full disk 507 without`(
        _ how: String, _ status: Int, _ wait: String?
    ) async throws {
        try await withService { _, client in
            let reply = try await client.send(.get, "/v1/fail/\(how)")
            #expect(reply.status == status)
            #expect(reply.headers[.retryAfter] == wait)
            #expect(try !reply.problem().detail!.contains("secret"))
        }
    }

    @Test func `a broken constraint is 409 without names of columns`() async throws {
        try await withService { _, client in
            let reply = try await client.send(.get, "/v1/fail/constraint")
            #expect(reply.status == 409)
            #expect(try !reply.problem().detail!.contains("secret"))
            let note = #"{"text":"twice","level":1}"#
            #expect(try await client.send(.post, "/v1/notes", json: note).status == 201)
            #expect(try await client.send(.post, "/v1/notes", json: note).status == 409)
            #expect(try await client.send(.post, "/v1/notes", json: #"{"text":"high","level":100}"#).status == 409)
        }
    }

    @Test func `an OAuth error is a problem document with the members of RFC 6749`() async throws {
        try await withService { _, client in
            let reply = try await client.send(.get, "/v1/fail/oauth")
            #expect(reply.status == 400)
            #expect(reply.headers[.contentType] == "application/problem+json")
            #expect(reply.headers[.cacheControl] == "no-store")
            #expect(reply.text.contains(#""error":"invalid_grant""#))
        }
    }

    @Test(arguments: ["abc-123", "A.b_c~!#$%&'*+^`|", String(repeating: "x", count: 64)])
    func `a request id that is a short token is kept`(_ id: String) async throws {
        try await withService { _, client in
            let reply = try await client.send(.get, "/open", headers: [Self.requestId: id])
            #expect(reply.headers[Self.requestId] == id)
        }
    }

    @Test(arguments: ["", "a b", "a\"b", "<script>", "ü", String(repeating: "x", count: 65), "a,b", "a{b}"])
    func `any other request id is replaced`(_ id: String) async throws {
        try await withService { service, client in
            let reply = try await client.send(.get, "/open", headers: [Self.requestId: id])
            let own = try #require(reply.headers[Self.requestId])
            #expect(own != id && UUID(uuidString: own) != nil)
        }
    }

    @Test func `the access log names route, status and trace, and no secret`() async throws {
        try await withService { service, client in
            let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
            _ = try await client.send(
                .get, "/v1/notes?cursor=query-secret",
                headers: [
                    HTTPField.Name("traceparent")!: "00-\(trace)-00f067aa0ba902b7-01", .cookie: "cookie-secret",
                    HTTPField.Name("Idempotency-Key")!: "key-secret",
                ])
            _ = try await client.send(.post, "/v1/notes", json: #"{"text":"body-secret","level":1}"#)
            let line = try #require(service.logLines.first { $0.contains("route=/v1/notes") })
            for part in ["status=200", "method=GET", "trace_id=\(trace)", "principal=user:anna", "duration_ms="] {
                #expect(line.contains(part), "\(part) in \(line)")
            }
            let all = service.logLines.joined(separator: "\n")
            for secret in ["query-secret", "cookie-secret", "key-secret", "body-secret", "Bearer anna"] {
                #expect(!all.contains(secret), "\(secret)")
            }
        }
    }

    @Test func `a request is one log line, whatever its path`() async throws {
        try await withService { service, client in
            _ = try await client.send(.get, "/v1/notes/a%0Ab%1B[31m")
            let lines = service.logLines.filter { $0.contains("route=/v1/notes/{id}") }
            #expect(lines.count == 1)
            #expect(lines.allSatisfy { !$0.dropLast().contains("\n") && !$0.contains("\u{1B}") })
        }
    }
}
