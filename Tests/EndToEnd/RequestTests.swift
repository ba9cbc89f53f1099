import Foundation
import StrataTesting
import Testing

/// `shiftlog request` against a server that misbehaves on purpose.
@Suite(.serialized) struct RequestTests {
    @Test func `a 503 is retried, and the output shows both attempts`() async throws {
        let server = try await LoopbackServer.start(
            .inOrder([.response("503 Service Unavailable")], then: [.response("200 OK", "back")]))
        let result = try await run(["GET", server.url + "/", "--json"])
        #expect(result.status == 0, "\(result.err)")
        let document = try result.json()
        #expect(document["status"].int == 200 && document["body"].text == "back")
        #expect(document["attempts"].list.map { $0["number"].int } == [1, 2])
        #expect(document["attempts"].list.map { $0["outcome"].text } == ["503", "200"])
        #expect(server.requests.count == 2)
    }

    @Test func `the summary of many calls adds up`() async throws {
        // Every tenth request fails for good, every seventh for the moment.
        let server = try await LoopbackServer.start(
            .init { request in
                switch request.number {
                case let number where number.isMultiple(of: 10): [.response("404 Not Found")]
                case let number where number.isMultiple(of: 7): [.response("503 Service Unavailable")]
                default: [.response("200 OK", "fine")]
                }
            })
        let result = try await run(
            ["GET", server.url + "/", "--repeat", "200", "--concurrency", "16", "--json"])
        let (calls, summary) = (try result.json()["calls"].list, try result.json()["summary"])
        let attempts = calls.reduce(0) { $0 + $1["attempts"].list.count }
        #expect(Set(calls.map { $0["n"].int }) == Set(1...200) && calls.count == 200)
        let (ok, failed) = (summary["ok"].int ?? -1, summary["failed"].int ?? -1)
        #expect(summary["calls"].int == 200 && ok + failed == 200)
        #expect(summary["by_outcome"].counts.values.reduce(0, +) == 200)
        #expect(ok == calls.count { $0["status"].int == 200 })
        #expect(summary["by_outcome"]["404"].int == calls.count { $0["status"].int == 404 })
        #expect(summary["attempts"].int == server.requests.count && attempts == server.requests.count)
        #expect(summary["retries"].int == attempts - 200 && attempts > 200)
        let times = ["p50_ms", "p95_ms", "p99_ms", "max_ms"].compactMap { summary[$0].number }
        #expect(times.count == 4 && times == times.sorted())
        #expect(result.status == 66, "most failures are a 404")
    }

    @Test func `credentials given with -H never reach another origin that the first one redirects to`() async throws {
        let target = try await LoopbackServer.start(.always(.response("200 OK", "there")))
        let source = try await LoopbackServer.start(
            .always(.response("302 Found", fields: ["Location: \(target.url)/there?x=1"])))
        let result = try await run([
            "GET", source.url + "/here", "-H", "Authorization: Bearer canary-bearer", "-H", "Cookie: id=canary-cookie",
            "-H", "X-API-Key: canary-key", "-H", "Proxy-Authorization: Basic canary-proxy", "--json",
        ])
        #expect(result.status == 0, "\(result.err)")
        #expect(try result.json()["body"].text == "there")
        #expect(received(source).contains("canary-bearer") && received(source).contains("canary-key"))
        #expect(target.requests.count == 1)
        #expect(!received(target).contains("canary"), "\(received(target))")
    }

    @Test func `the session's token goes to the server and to no other origin, not by a redirect either`() async throws
    {
        let (workspace, server) = try await Workspace.loggedIn()
        let token = try workspace.keptToken("access_token")
        let foreign = try await LoopbackServer.start(.always(.response("200 OK", "foreign")))

        let own = try await workspace.shiftlog(["request", "GET", "/v1/me"], server: server)
        #expect(own.status == 0 && own.out.contains("ada"), "\(own.err)")
        let absolute = try await workspace.shiftlog(["request", "GET", server.url + "/v1/me"], server: server)
        #expect(absolute.status == 0 && absolute.out.contains("ada"), "\(absolute.err)")
        let other = try await workspace.shiftlog(["request", "GET", foreign.url + "/v1/me"], server: server)
        #expect(other.status == 0 && other.out.contains("foreign"), "\(other.err)")
        // The same machine under another name is another origin.
        let alias = "http://localhost:\(foreign.port)/v1/me"
        #expect(try await workspace.shiftlog(["request", "GET", alias], server: server).status == 0)
        #expect(foreign.requests.count == 2)
        #expect(!received(foreign).contains(token))
        #expect(!received(foreign).lowercased().contains("authorization"))
    }

    @Test func `a dead port opens the breaker, and the summary shows it`() async throws {
        let (socket, port) = try Sockets.listening()
        close(socket)
        let result = try await run(
            ["GET", "http://127.0.0.1:\(port)/", "--repeat", "20", "--retries", "0", "--json"])
        let document = try result.json()
        #expect(result.status == 69)
        #expect(document["origin"]["circuit"].text == "open")
        #expect(document["summary"]["ok"].int == 0 && document["summary"]["failed"].int == 20)
        #expect(document["summary"]["by_outcome"].counts == ["offline": 5, "circuit_open": 15])
        let attempts = document["calls"].list.flatMap { $0["attempts"].list.map { $0["outcome"].text } }
        let outcomes = Dictionary(grouping: attempts) { $0 }.mapValues(\.count)
        #expect(outcomes == ["no connection": 5, "circuit open": 15])
        let text = try await self.run(["GET", "http://127.0.0.1:\(port)/", "--repeat", "20", "--retries", "0"])
        #expect(text.out.contains("circuit open until"), "\(text.out)")
    }

    @Test func `a trace shows each attempt, the breaker and the budget`() async throws {
        let server = try await LoopbackServer.start(.always(.response("503 Service Unavailable")))
        let told = try await run(["GET", server.url + "/", "--trace", "--retries", "1"])
        #expect(told.status == 69)
        for words in [
            "begins, request id", "attempt 1 begins", "attempt 1 is repeated", "attempt 2 ends: 503",
            "attempt 2 is not repeated", "circuit closed", "retry budget",
        ] { #expect(told.err.contains(words), "'\(words)' is missing in \(told.err)") }
        let many = try await run(["GET", server.url + "/", "--trace", "--retries", "0", "--repeat", "6"])
        #expect(many.err.contains("open from now on") && many.err.contains("open, nothing is sent"), "\(many.err)")
        #expect(many.out.contains("circuit open until") && many.out.contains("retry budget"), "\(many.out)")
        #expect(server.requests.count == 7, "the open circuit lets nothing through")

        let fine = try await LoopbackServer.start(.always(.response("200 OK")))
        let result = try await run(["GET", fine.url + "/", "--trace", "--json"])
        let origin = try result.json()["origin"]
        #expect(origin["circuit"].text == "closed" && (origin["retry_budget"].number ?? 0) > 0)
        #expect(result.out.contains("call_started") && result.out.contains("attempt_finished"))
    }

    private func received(_ server: LoopbackServer) -> String { server.requests.map { $0.head + $0.body }.joined() }

    private func run(_ arguments: [String]) async throws -> Outcome {
        let workspace = try Workspace()
        let outcome = try await workspace.start("shiftlog", ["request"] + arguments).outcome()
        return withExtendedLifetime(workspace) { outcome }
    }
}
