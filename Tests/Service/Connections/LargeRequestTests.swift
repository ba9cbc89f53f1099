import Foundation
import StrataDomain
import StrataService
import StrataSystem
import StrataTesting
import Testing

/// Senders of large bodies, over real sockets. The bound is less than a body, so a caller has one at a time.
@Suite(.timeLimit(.minutes(5))) struct LargeRequestTests {
    private static let first = note("a")

    /// A text is there once.
    private static func note(_ text: String) -> String { #"{"text": "\#(text)", "level": 1}"# }
    private static let size = 900_000

    /// The head of a write, and a part of its body.
    private static func head(_ fields: String = "Content-Length: \(size)\r\n", as caller: String = "anna") -> String {
        "POST /v1/notes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(caller)\r\nContent-Type: application/json\r\n"
            + "Connection: close\r\n\(fields)\r\n"
    }

    /// White space after the JSON is allowed.
    private static func body(_ text: String) -> String {
        note(text) + String(repeating: " ", count: size - note(text).utf8.count)
    }

    private func withService(
        _ clock: ManualClock = ManualClock(), bound: Int = 1_200_000,
        _ body: (TestService, LiveService) async throws -> Void
    ) async throws {
        try await withLiveService(configure: {
            $0.limits.maxReceivedBytes = bound
            $0.clock = clock
        }) { service, live in
            try await body(service, live)
            try await eventually("every permit is back") { Self.has(0, "request_bytes", service) }
        }
    }

    private static func has(_ value: Int, _ name: String, _ service: TestService) -> Bool {
        service.metrics.text().contains("tides_http_large_\(name) \(value)\n")
    }

    private func waiting(_ count: Int, in service: TestService) async throws {
        try await eventually("\(count) requests wait") { Self.has(count, "requests_waiting", service) }
    }

    /// A connection that has sent a part of its body.
    private func slowSender(_ service: TestService, _ live: LiveService) async throws -> RawConnection {
        let slow = try await RawConnection(port: live.port)
        slow.send(Self.head() + Self.first)
        try await eventually("the body is being read") { Self.has(Self.size, "request_bytes", service) }
        return slow
    }

    @Test func `a large body waits for that of a slow sender, and both are stored`() async throws {
        try await withService { service, live in
            let slow = try await slowSender(service, live)
            let next = try await RawConnection(port: live.port)
            next.send(Self.head() + Self.body("b"))
            try await waiting(1, in: service)
            slow.send(Self.body("a").dropFirst(Self.first.count).utf8)
            #expect(try await slow.readToEnd().hasPrefix("HTTP/1.1 201 "))
            #expect(try await next.readToEnd().hasPrefix("HTTP/1.1 201 "))
        }
    }

    @Test func `a body of unknown length waits, and one that is asked for is not asked for before its turn`()
        async throws
    {
        try await withService { service, live in
            let slow = try await slowSender(service, live)
            let chunked = try await RawConnection(port: live.port)
            chunked.send(
                Self.head("Transfer-Encoding: chunked\r\n")
                    + "\(String(Self.first.utf8.count, radix: 16))\r\n\(Self.first)\r\n0\r\n\r\n")
            try await waiting(1, in: service)
            let asking = try await RawConnection(port: live.port)
            asking.send(Self.head("Content-Length: \(Self.size)\r\nExpect: 100-continue\r\n"))
            try await waiting(2, in: service)
            await slow.close()
            #expect(try await chunked.readToEnd().hasPrefix("HTTP/1.1 201 "))
            #expect(try await asking.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
            asking.send(Self.body("b"))
            #expect(try await asking.readToEnd().hasPrefix("HTTP/1.1 201 "))
        }
    }

    @Test func `small bodies and the large one of another caller do not wait`() async throws {
        try await withService { service, live in
            let slow = try await slowSender(service, live)
            let next = try await RawConnection(port: live.port)
            next.send(Self.head() + Self.body("b"))
            try await waiting(1, in: service)
            let small = try await RawConnection.exchange(
                Self.head("Content-Length: \(Self.first.utf8.count)\r\n") + Self.note("c"), port: live.port)
            #expect(small.hasPrefix("HTTP/1.1 201 "))
            let other = try await RawConnection.exchange(Self.head(as: "bert") + Self.body("d"), port: live.port)
            #expect(other.hasPrefix("HTTP/1.1 201 "))
            await slow.close()
            #expect(try await next.readToEnd().hasPrefix("HTTP/1.1 201 "))
        }
    }

    /// Bytes that the kernel holds for the service, because it has not read them.
    private static func unread(by live: LiveService) throws -> Int {
        let port = String(live.port, radix: 16, uppercase: true)
        // Foundation reads the first 4 KiB of a file that has no size.
        let file = try openFile("/proc/net/tcp", O_RDONLY)
        defer { file.release() }
        let table = String(decoding: try file.readAll(limit: 1 << 24), as: UTF8.self)
        return table.split(separator: "\n").dropFirst().map { $0.split(separator: " ") }.filter {
            $0[1].hasSuffix(":\(port)")
        }
        .reduce(0) { $0 + (Int($1[4].suffix(8), radix: 16) ?? 0) }
    }

    /// The body is smaller than the first window of a receiver, 64 KiB. The response to the GET is written after the service has read
    /// the head of the POST, so that no read which began before the hold takes bytes of the body.
    @Test func `a body that waits behind another request stays in the kernel`() async throws {
        let (size, note) = (50_000, Self.note("b"))
        try await withService { service, live in
            let slow = try await slowSender(service, live)
            let next = try await RawConnection(port: live.port)
            next.send(
                "GET /v1/notes HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer anna\r\n\r\n"
                    + Self.head("Content-Length: \(size)\r\n"))
            try await waiting(1, in: service)
            next.send(note + String(repeating: " ", count: size - note.utf8.count))
            try await eventually("the whole body is in the kernel") { try Self.unread(by: live) == size }
            await slow.close()
            let responses = try await next.readToEnd()
            #expect(responses.hasPrefix("HTTP/1.1 200 ") && responses.contains("HTTP/1.1 201 "))
        }
    }

    /// What the sender of a body does after its head.
    enum Sender: CaseIterable { case lastRequest, keepsAlive, waitsForContinue }

    @Test(arguments: Sender.allCases)
    func `a body that waits for too long is 503, which its sender reads`(sender: Sender) async throws {
        let clock = ManualClock()
        try await withService(clock) { service, live in
            let slow = try await slowSender(service, live)
            let next = try await RawConnection(port: live.port)
            let waits = sender == .waitsForContinue
            let head = Self.head(
                "Content-Length: \(Self.size)\r\nX-Request-Deadline-Ms: 1000\r\n"
                    + (waits ? "Expect: 100-continue\r\n" : ""))
            next.send(sender == .lastRequest ? head : head.replacing("Connection: close\r\n", with: ""))
            if !waits { next.send(Self.body("b")) }
            try await waiting(1, in: service)
            await clock.waitForSleeper(dueIn: .seconds(1) / 2)
            clock.advance(by: .seconds(1) / 2)
            let response = try await next.readToEnd()
            #expect(
                response.hasPrefix("HTTP/1.1 503 ") && response.lowercased().contains("retry-after: 1"), "\(response)")
            await slow.close()
        }
    }

    @Test func `a slow sender is closed for a body that waits`() async throws {
        let clock = ManualClock()
        try await withService(clock) { service, live in
            let slow = try await slowSender(service, live)
            let next = try await RawConnection(port: live.port)
            next.send(Self.head() + Self.body("b"))
            try await waiting(1, in: service)
            // A sender of a few bytes has three seconds; the wait ends after ten.
            for _ in 0..<5 where Self.has(1, "requests_waiting", service) {
                try await eventually("a timer is set") {
                    clock.waits.contains { $0 <= .seconds(1) } || !Self.has(1, "requests_waiting", service)
                }
                clock.advance(by: .seconds(1))
            }
            #expect(try await next.readToEnd().hasPrefix("HTTP/1.1 201 "))
            #expect(try await slow.readToEnd().isEmpty)
        }
    }

    @Test func `of 64 bodies that do not end the bound has three, and the others wait`() async throws {
        try await withService(bound: 4 << 20) { service, live in
            var senders: [RawConnection] = []
            for _ in 0..<64 {
                let sender = try await RawConnection(port: live.port)
                sender.send(Self.head() + Self.body("a").dropLast())
                senders.append(sender)
            }
            try await waiting(61, in: service)
            #expect(Self.has(3 * Self.size, "request_bytes", service))
            senders = []
        }
    }
}
