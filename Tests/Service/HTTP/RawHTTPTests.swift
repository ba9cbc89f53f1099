import Foundation
import StrataDomain
import StrataService
import StrataTesting
import Testing

/// Messages below the level of requests, over real sockets.
@Suite struct RawHTTPTests {
    /// The head of a well-formed post, up to the fields about its body.
    private static let post =
        "POST /v1/notes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer anna\r\nContent-Type: application/json\r\n"

    private func problem(in answer: String) throws -> Problem {
        let body = try #require(answer.components(separatedBy: "\r\n\r\n").last)
        #expect(answer.lowercased().contains("content-type: application/problem+json"))
        return try WireJSON.decode(Problem.self, from: Data(body.utf8))
    }

    @Test(arguments: [
        "GET /open HTTP/1.1\r\n\r\n",
        "GET /open HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /open HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET /open HTTP/1.1\r\nHost: \r\n\r\n",
        "GET /open HTTP/1.1\r\nHost: a/b\r\n\r\n",
        "GET /open HTTP/1.1\r\nHost: user@a\r\n\r\n",
        "GET /open HTTP/1.1\r\nHost: a, b\r\n\r\n",
    ])
    func `a request without one plausible Host is 400`(_ message: String) async throws {
        try await withLiveService { _, live in
            let connection = try await RawConnection(port: live.port)
            connection.send(message)
            connection.finishSending()
            let answer = try await connection.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            #expect(try problem(in: answer).code == "invalid_host")
        }
    }

    @Test func `a sender that goes away in the middle of a body is no fault of the service`() async throws {
        try await withLiveService { service, live in
            let connection = try await RawConnection(port: live.port)
            connection.send("\(Self.post)Content-Length: 100\r\nExpect: 100-continue\r\n\r\n")
            _ = try await connection.read(until: "100 Continue\r\n\r\n")
            await connection.reset()
            try await service.waitUntil { $0.logLines.contains { $0.contains("route=/v1/notes") } }
            let line = try #require(service.logLines.first { $0.contains("route=/v1/notes") })
            #expect(line.contains("status=400"), "\(line)")
            #expect(!service.logLines.contains { $0.contains("unexpected error") })
        }
    }

    @Test func `messages that are not HTTP get a problem and the end of the connection`() async throws {
        let bad = [
            "GARBAGE\r\n\r\n", "GET /open\r\n\r\n", "GET /open HTTP/9.9\r\nHost: a\r\n\r\n",
            "GET /op en HTTP/1.1\r\nHost: a\r\n\r\n", "GET /open HTTP/1.1\r\nHost : a\r\n\r\n",
            "POST /v1/notes HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
            "POST /v1/notes HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
            "POST /v1/notes HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "POST /v1/notes HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            "POST /v1/notes HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "GET /open HTTP/1.1\r\nHost: a\r\nX: \u{0}\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}",
        ]
        try await withLiveService { _, live in
            for message in bad {
                let answer = try await RawConnection.exchange(message, port: live.port)
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(message) → \(answer)")
                let problem = try problem(in: answer)
                #expect(problem.requestId != nil && problem.code == "malformed_request", "\(message)")
            }
            #expect(
                try await RawConnection.exchange(
                    "GET /open HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", port: live.port
                ).hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `header fields that are too large are 431`() async throws {
        try await withLiveService { _, live in
            let large = String(repeating: "x", count: 40_000)
            let many = (0..<200).map { "X-\($0): 1\r\n" }.joined()
            for fields in ["X-Large: \(large)\r\n", many] {
                let answer = try await RawConnection.exchange(
                    "GET /open HTTP/1.1\r\nHost: a\r\n\(fields)\r\n", port: live.port)
                #expect(answer.hasPrefix("HTTP/1.1 431 "), "\(answer)")
                #expect(try problem(in: answer).code == "headers_too_large")
            }
        }
    }

    @Test(arguments: [
        "Content-Length: 2000000\r\n\r\n{",
        "Transfer-Encoding: chunked\r\n\r\n" + "200000\r\n" + String(repeating: " ", count: 0x200000) + "\r\n0\r\n\r\n",
    ])
    func `a body that is too large is 413, declared or not`(_ rest: String) async throws {
        try await withLiveService { _, live in
            let answer = try await RawConnection.exchange(
                "\(Self.post)\(rest)",
                port: live.port)
            #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer.prefix(300))")
            #expect(try problem(in: answer).code == "body_too_large")
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test func `a body that stops halfway is 400 and has no effect`() async throws {
        try await withLiveService { service, live in
            for rest in [
                "Content-Length: 100\r\n\r\n{\"text\":\"a\",\"level\":1}",
                "Transfer-Encoding: chunked\r\n\r\n16\r\n{\"text\":\"a\",\"level\":1}\r\n",
            ] {
                let connection = try await RawConnection(port: live.port)
                connection.send(
                    "\(Self.post)\(rest)"
                )
                connection.finishSending()
                let answer = try await connection.readToEnd()
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            }
            try await expectRows(0, in: "note", of: service.store)
        }
    }

    @Test func `a body below the minimum rate is 408`() async throws {
        let clock = ManualClock()
        try await withLiveService(configure: { $0.clock = clock }) { service, live in
            let connection = try await RawConnection(port: live.port)
            connection.send(
                "\(Self.post)Content-Length: 5000\r\n\r\n{"
            )
            await clock.waitForSleeper(dueIn: service.limits.bodyGrace...service.limits.bodyGrace)
            clock.advance(by: service.limits.bodyGrace)
            let answer = try await connection.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(answer)")
            #expect(try problem(in: answer).code == "body_too_slow")
        }
    }

    @Test func `a request that never ends is cut off`() async throws {
        try await withLiveService(configure: { $0.limits.requestReadTime = .milliseconds(300) }) { _, live in
            // The request is refused early, but its body keeps it open. On a busy machine the close may precede the response.
            let connection = try await RawConnection(port: live.port)
            connection.send("POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{")
            let answer = try await connection.readToEnd()
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 404 "), "\(answer)")
        }
    }

    @Test func `a header that never ends and an idle connection are cut off`() async throws {
        try await withLiveService(configure: { $0.limits.idleTime = .milliseconds(300) }) { _, live in
            for message in ["", "GET /open HTTP/1.1\r\nHost: a\r\nX-Slow: "] {
                let connection = try await RawConnection(port: live.port)
                connection.send(message)
                #expect(try await connection.readToEnd() == "")
            }
        }
    }

    @Test(arguments: ["keep-alive", "close"])
    func `the connection of a reader that does not read is closed`(_ last: String) async throws {
        try await withLiveService(configure: { $0.limits.writeTime = .milliseconds(300) }) { service, live in
            let large = NoteDraft(text: String(repeating: "x", count: 500_000), level: 1)
            let collection = service.feature.collection
            try await service.store.write { transaction in
                _ = try collection.insert("large", large, at: Date(), in: transaction)
            }
            let request = "GET /v1/notes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer anna\r\n"
            let reader = try await RawConnection(port: live.port)
            reader.send(String(repeating: request + "\r\n", count: 100) + request + "Connection: \(last)\r\n\r\n")
            try await service.waitUntil { $0.logLines.contains { $0.contains("route=/v1/notes") } }
            try await service.waitUntil { $0.metrics.text().contains("tides_http_connections_open 0\n") }
            // Only the bytes in kernel buffers arrive.
            let received = try await reader.readToEnd().utf8.count
            #expect(received < 100 * 500_000)
        }
    }

    @Test func `a slow reader gets the whole response before the connection closes`()
        async throws
    {
        try await withLiveService { service, live in
            let large = NoteDraft(text: String(repeating: "x", count: 900_000), level: 1)
            let collection = service.feature.collection
            try await service.store.write { transaction in
                _ = try collection.insert("large", large, at: Date(), in: transaction)
            }
            let request = "GET /v1/notes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer anna\r\nConnection: close\r\n\r\n"
            let slow = try await RawConnection(port: live.port)
            slow.send(request)
            try await service.waitUntil { $0.logLines.contains { $0.contains("route=/v1/notes") } }
            #expect(try await slow.readToEnd().utf8.count > 900_000)
        }
    }

    @Test func `a client that expects 100 Continue receives it`() async throws {
        try await withLiveService { _, live in
            let body = #"{"text":"asked first","level":1}"#
            let connection = try await RawConnection(port: live.port)
            connection.send(
                "\(Self.post)Content-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\n"
                    + "Connection: close\r\n\r\n"
            )
            #expect(try await connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 Continue\r\n"))
            connection.send(body)
            #expect(try await connection.readToEnd().contains("HTTP/1.1 201 "))
        }
    }

    @Test(arguments: [
        ("/v1/notes", "", 401), ("/nowhere", "Authorization: Bearer anna\r\n", 404),
        ("/v1/notes", "Authorization: Bearer anna\r\n", 413),
    ])
    func `a client that expects 100 Continue gets only the final status of a refusal`(
        path: String, credentials: String, status: Int
    ) async throws {
        try await withLiveService { _, live in
            let answer = try await RawConnection.exchange(
                "POST \(path) HTTP/1.1\r\nHost: a\r\n\(credentials)Content-Type: application/json\r\n"
                    + "Content-Length: 2000000\r\nExpect: 100-continue\r\n\r\n",
                port: live.port)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            #expect(answer.lowercased().contains("connection: close"))
        }
    }

    @Test func `the connection closes after a body that was sent before 100 Continue`() async throws {
        try await withLiveService { _, live in
            let answer = try await RawConnection.exchange(
                "POST /v1/notes HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n",
                port: live.port)
            #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
        }
    }

    @Test(arguments: ["gzip, chunked", "gzip,chunked", "chunked, chunked", "x-own, chunked"])
    func `a transfer coding other than chunked is 501`(_ coding: String) async throws {
        try await withLiveService { service, live in
            let answer = try await RawConnection.exchange(
                "\(Self.post)Transfer-Encoding: \(coding)\r\n\r\n16\r\n{\"text\":\"a\",\"level\":1}\r\n0\r\n\r\n",
                port: live.port)
            #expect(answer.hasPrefix("HTTP/1.1 501 ") || answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            #expect(answer.hasPrefix("HTTP/1.1 501 ") || coding.hasPrefix("chunked"))
            try await expectRows(0, in: "note", of: service.store)
        }
    }

    @Test(arguments: ["", "Connection: keep-alive\r\n"])
    func `a transfer coding in HTTP 1.0 is 400, and nothing behind it is read`(_ fields: String) async throws {
        try await withLiveService { service, live in
            let message =
                Self.post.replacing("HTTP/1.1", with: "HTTP/1.0")
                + "\(fields)Transfer-Encoding: chunked\r\n\r\n16\r\n{\"text\":\"a\",\"level\":1}\r\n0\r\n\r\n"
            let behind = "GET /open HTTP/1.1\r\nHost: a\r\n\r\n"
            for before in ["", behind] {
                let answer = try await RawConnection.exchange(before + message + behind, port: live.port)
                let statuses = answer.matches(of: #/HTTP/1\.1 (\d+) /#).map(\.1)
                #expect(statuses == (before.isEmpty ? ["400"] : ["200", "400"]), "\(answer)")
                #expect(answer.lowercased().contains("connection: close"))
            }
            try await expectRows(0, in: "note", of: service.store)
        }
    }

    @Test(arguments: ["gzip", "deflate, gzip", "br"])
    func `a body in a content coding is 415`(_ coding: String) async throws {
        try await withLiveService { service, live in
            let answer = try await RawConnection.exchange(
                "\(Self.post)Content-Encoding: \(coding)\r\nContent-Length: 22\r\nConnection: close\r\n\r\n"
                    + "{\"text\":\"a\",\"level\":1}", port: live.port)
            #expect(answer.hasPrefix("HTTP/1.1 415 "), "\(answer)")
            #expect(answer.lowercased().contains("accept-encoding: identity"))
            try await expectRows(0, in: "note", of: service.store)
        }
    }

    @Test(arguments: [
        ("ftp://a/open", 400), ("gopher:/open", 400), ("javascript:/open", 400), ("http://a/open", 200),
        ("HTTPS://a/open", 200), ("/open", 200),
    ])
    func `a target is a path or an http URL`(target: String, status: Int) async throws {
        try await withLiveService { _, live in
            let answer = try await RawConnection.exchange(
                "GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", port: live.port)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        }
    }

    @Test(arguments: [("BREW", 501), ("get", 501), ("PATCH", 405), ("PROPFIND", 405)])
    func `an unknown method is 501, one that the resource has not is 405`(method: String, status: Int) async throws {
        try await withLiveService { _, live in
            let answer = try await RawConnection.exchange(
                "\(method) /open HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", port: live.port)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            #expect(try problem(in: answer).requestId != nil)
        }
    }

    @Test func `a request with too many chunk extensions is refused`() async throws {
        try await withLiveService { service, live in
            let connection = try await RawConnection(port: live.port)
            connection.send("\(Self.post)Transfer-Encoding: chunked\r\n\r\n16;x=")
            let padding = String(repeating: "x", count: 16_384)
            for _ in 0..<64 { connection.send(padding) }
            let answer = try await connection.readToEnd()
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            try await expectRows(0, in: "note", of: service.store)
        }
    }

    @Test func `a body in the smallest chunks is read`() async throws {
        try await withLiveService { service, live in
            let text = #"{"text":"\#(String(repeating: "x", count: 100_000))","level":1}"#
            let chunks = text.map { "1\r\n\($0)\r\n" }.joined()
            let connection = try await RawConnection(port: live.port)
            connection.send("\(Self.post)Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.send(chunks + "0\r\n\r\n")
            #expect(try await connection.readToEnd().hasPrefix("HTTP/1.1 201 "))
        }
    }

    @Test(arguments: ["GET /open\r\n", "GET /open\n", "\r\nGET /open\r\n", "x\r\n"])
    func `a first line without a version is refused before the head ends`(_ line: String) async throws {
        try await withLiveService { _, live in
            let answer = try await RawConnection.exchange(line, port: live.port)
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        }
    }

    @Test func `a first line in several packets is read`() async throws {
        try await withLiveService { service, live in
            let connection = try await RawConnection(port: live.port)
            for piece in ["\r\n", "GE", "T /open HT", "TP/1.", "1\r", "\nHost: a\r\nConnection: close\r\n\r\n"] {
                connection.send(piece)
                await Task.yield()
            }
            #expect(try await connection.readToEnd().hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `an HTTP 1.0 client gets its response and the connection closes`() async throws {
        try await withLiveService { _, live in
            let answer = try await RawConnection.exchange("GET /open HTTP/1.0\r\nHost: a\r\n\r\n", port: live.port)
            #expect(answer.contains(" 200 ") && answer.contains("nobody"), "\(answer)")
        }
    }

    @Test func `two requests in one packet get two responses in order`() async throws {
        try await withLiveService { _, live in
            let answer = try await RawConnection.exchange(
                "GET /open HTTP/1.1\r\nHost: a\r\nX-Request-Id: one\r\n\r\n"
                    + "GET /nowhere HTTP/1.1\r\nHost: a\r\nX-Request-Id: two\r\nConnection: close\r\n\r\n",
                port: live.port)
            let one = try #require(answer.range(of: "X-Request-Id: one", options: .caseInsensitive))
            let two = try #require(answer.range(of: "X-Request-Id: two", options: .caseInsensitive))
            #expect(one.lowerBound < two.lowerBound)
        }
    }

    @Test func `a small body of a refused request does not cost the connection`() async throws {
        try await withLiveService { _, live in
            let answer = try await RawConnection.exchange(
                "POST /v1/notes HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"
                    + "GET /open HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                port: live.port)
            #expect(answer.contains(" 401 ") && answer.contains(" 200 "), "\(answer)")
        }
    }
}
