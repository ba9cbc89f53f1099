import Foundation
import HTTPTypes
import StrataDomain
import StrataService
import StrataTesting
import Testing

/// Readers of large pages, over real sockets. The bound of large responses is less than a page, so a caller has one at a time.
@Suite struct LargePageTests {
    private static func list(_ fields: String = "", as caller: String = "anna") -> String {
        "GET /v1/notes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(caller)\r\n\(fields)\r\n"
    }

    private static let last = "Connection: close\r\n"

    private func withLargePage(
        _ clock: (any Clock<Duration>)? = nil, _ body: (TestService, LiveService) async throws -> Void
    ) async throws {
        try await withLiveService(configure: {
            $0.limits.maxWaitingBytes = 1_200_000
            if let clock { $0.clock = clock }
        }) { service, live in
            let large = NoteDraft(text: String(repeating: "x", count: 900_000), level: 1)
            let collection = service.feature.collection
            try await service.store.write { transaction in
                _ = try collection.insert("large", large, at: Date(), in: transaction)
            }
            try await body(service, live)
            try await eventually("every permit is back") {
                service.metrics.text().contains("tides_http_large_response_bytes 0\n")
            }
        }
    }

    private func waiting(_ count: Int, in service: TestService) async throws {
        try await eventually("\(count) requests wait") { isWaiting(count, in: service) }
    }

    private func isWaiting(_ count: Int, in service: TestService) -> Bool {
        service.metrics.text().contains("tides_http_large_responses_waiting \(count)\n")
    }

    /// A connection whose page waits for its reader.
    private func slowReader(_ service: TestService, _ live: LiveService) async throws -> RawConnection {
        let slow = try await RawConnection(port: live.port)
        slow.send(Self.list(Self.last))
        try await eventually("the page is being sent") {
            !service.metrics.text().contains("tides_http_large_response_bytes 0\n")
        }
        return slow
    }

    @Test func `a large page waits for that of a slow reader, and is complete`() async throws {
        try await withLargePage { service, live in
            let slow = try await slowReader(service, live)
            let next = try await RawConnection(port: live.port)
            next.send(Self.list(Self.last))
            try await waiting(1, in: service)
            #expect(try await slow.readToEnd().utf8.count > 900_000)
            #expect(try await next.readToEnd().utf8.count > 900_000)
        }
    }

    @Test func `small pages, writes and the large pages of another caller do not wait`() async throws {
        try await withLargePage { service, live in
            let slow = try await slowReader(service, live)
            let next = try await RawConnection(port: live.port)
            next.send(Self.list(Self.last))
            try await waiting(1, in: service)
            let small = try await RawConnection.exchange(
                "GET /v1/notes/none HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer anna\r\n\(Self.last)\r\n",
                port: live.port)
            #expect(small.hasPrefix("HTTP/1.1 404 "))
            let other = try await RawConnection.exchange(Self.list(Self.last, as: "bert"), port: live.port)
            #expect(other.hasPrefix("HTTP/1.1 200 ") && other.utf8.count > 900_000)
            _ = try await slow.readToEnd()
            _ = try await next.readToEnd()
        }
    }

    @Test func `a page that waits for too long is 503`() async throws {
        let clock = ManualClock()
        try await withLargePage(clock) { service, live in
            let slow = try await slowReader(service, live)
            let next = try await RawConnection(port: live.port)
            next.send(Self.list("X-Request-Deadline-Ms: 1000\r\n\(Self.last)"))
            try await waiting(1, in: service)
            await clock.waitForSleeper(dueIn: .seconds(1) / 2)
            clock.advance(by: .seconds(1) / 2)
            let answer = try await next.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.lowercased().contains("retry-after: 1"), "\(answer)")
            _ = try await slow.readToEnd()
        }
    }

    @Test func `a slow reader is closed for a page that waits`() async throws {
        let clock = ManualClock()
        try await withLargePage(clock) { service, live in
            let slow = try await slowReader(service, live)
            let next = try await RawConnection(port: live.port)
            next.send(Self.list(Self.last))
            try await waiting(1, in: service)
            // Seven seconds are what 900,000 bytes have at the least rate; the wait ends after ten.
            for _ in 0..<9 where isWaiting(1, in: service) {
                try await eventually("a timer is set") {
                    clock.waits.contains { $0 <= .seconds(1) } || !isWaiting(1, in: service)
                }
                clock.advance(by: .seconds(1))
            }
            #expect(try await next.readToEnd().utf8.count > 900_000)
            #expect(try await slow.readToEnd().utf8.count < 900_000)
        }
    }

    @Test func `a reader that disconnects gives its permit back`() async throws {
        try await withLargePage { service, live in
            var slow: RawConnection? = try await slowReader(service, live)
            let next = try await RawConnection(port: live.port)
            next.send(Self.list(Self.last))
            try await waiting(1, in: service)
            #expect(slow != nil)
            slow = nil
            #expect(try await next.readToEnd().utf8.count > 900_000)
        }
    }

    @Test func `a head, a current copy and a page in the pipeline need no second permit`() async throws {
        try await withLargePage { service, live in
            let connection = try await RawConnection(port: live.port)
            connection.send(Self.list() + Self.list().replacing("GET", with: "HEAD") + Self.list(Self.last))
            let answer = try await connection.readToEnd()
            #expect(answer.matches(of: #/HTTP/1\.1 200 /#).count == 3 && answer.utf8.count > 1_800_000)
        }
    }
}
