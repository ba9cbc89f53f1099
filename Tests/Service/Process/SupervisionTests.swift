import Foundation
import NIOCore
import NIOPosix
import StrataTesting
import Testing

@testable import StrataService

@Suite struct SupervisionTests {
    private let log = LogRecorder()

    @Test(arguments: [true, false])
    func `the service manager is notified of the start and the drain`(isAbstract: Bool) async throws {
        let manager = try ManagerSocket(isAbstract: isAbstract)
        let supervision = try Supervision(environment: ["NOTIFY_SOCKET": manager.name], processId: 7)
        try await withLiveService(configure: { $0.supervision = supervision }) { _, live in
            let ready = try await manager.message()
            #expect(ready == "READY=1\nSTATUS=Serving at http://127.0.0.1:\(live.port)")
        }
        #expect(try await manager.message().hasPrefix("STOPPING=1\nSTATUS="))
        #expect(manager.messageAtHand() == nil)
    }

    @Test func `heartbeats are sent at half of the limit`() async throws {
        let manager = try ManagerSocket()
        let clock = ManualClock()
        let supervision = try Supervision(
            environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "7"], processId: 7)
        try await withLiveService(configure: {
            $0.supervision = supervision
            $0.clock = clock
        }) { _, _ in
            var messages = [try await manager.message(), try await manager.message()]
            #expect(messages.contains("WATCHDOG=1") && messages.contains { $0.hasPrefix("READY=1\n") })
            for _ in 0..<3 {
                await clock.waitForSleeper(dueIn: .milliseconds(1500))
                messages = [manager.messageAtHand()].compactMap { $0 }
                #expect(messages.isEmpty)
                clock.advance(by: .milliseconds(1500))
                #expect(try await manager.message() == "WATCHDOG=1")
            }
        }
    }

    @Test func `no heartbeat is sent while an event loop is blocked`() async throws {
        let manager = try ManagerSocket()
        let clock = ManualClock()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (held, released) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        group.next().execute {
            held.signal()
            released.wait()
        }
        try await BlockingPool(threads: 1, queueLimit: 1).run { held.wait() }
        let supervision = try Supervision(
            environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "2000000"], processId: 7)
        let logger = log.logger()
        let signs = Task {
            await supervision.sendHeartbeats(of: [group.next()], every: .seconds(1), clock: clock, logger: logger)
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(manager.messageAtHand() == nil && clock.waits.isEmpty)
        released.signal()
        #expect(try await manager.message() == "WATCHDOG=1")
        signs.cancel()
        await signs.value
        try await group.shutdownGracefully()
    }

    @Test(
        arguments: [
            ([:], .off), (["WATCHDOG_USEC": "500"], .on(limit: .microseconds(500))),
            (["WATCHDOG_USEC": "500", "WATCHDOG_PID": "7"], .on(limit: .microseconds(500))),
            (["WATCHDOG_USEC": "500", "WATCHDOG_PID": "8"], .off), (["WATCHDOG_PID": "7"], .off),
            (["WATCHDOG_USEC": "0"], .malformed), (["WATCHDOG_USEC": "-5"], .malformed),
            (["WATCHDOG_USEC": "soon"], .malformed), (["WATCHDOG_USEC": "500", "WATCHDOG_PID": "us"], .malformed),
            (["WATCHDOG_USEC": "18446744073709551615"], .off), (["WATCHDOG_USEC": "18446744073709551616"], .malformed),
        ] as [([String: String], Watchdog)])
    func `the watchdog is on for a valid limit of this process`(variables: [String: String], expected: Watchdog) {
        #expect(Watchdog(variables, processId: 7) == expected)
    }

    @Test func `the interval is half of the limit`() {
        #expect(Watchdog(["WATCHDOG_USEC": "30000000"], processId: 7).interval == .seconds(15))
        #expect(Watchdog([:], processId: 7).interval == nil)
    }

    @Test(arguments: [
        "relative", "@", "/", "vsock:2:1234", "/\(String(repeating: "x", count: 108))", "/no/such/socket", "/dev/null",
    ])
    func `a manager that cannot be notified is logged once and ends nothing`(name: String) async throws {
        let supervision = try Supervision(
            environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "soon"], processId: 7)
        try await withLiveService(configure: { $0.supervision = supervision }) { service, live in
            let answer = try await RawConnection.exchange(
                "GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", port: live.port)
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            try await service.waitUntil { service in service.logLines.contains { Self.warns($0) } }
            await live.beginShutdown()
            try await live.wait()
            #expect(service.logLines.count { Self.warns($0) } == 1)
            #expect(service.logLines.contains { $0.hasPrefix("warning WATCHDOG_USEC") })
        }
    }

    private static func warns(_ line: String) -> Bool {
        line.hasPrefix("warning NOTIFY_SOCKET is") || line.hasPrefix("warning the service manager cannot be notified")
    }

    @Test func `a notification is retried while the manager does not read`() async throws {
        let manager = try ManagerSocket()
        let clock = ManualClock()
        let supervision = try Supervision(environment: ["NOTIFY_SOCKET": manager.name], processId: 7)
        let logger = log.logger()
        let flood = try NotifySocket(manager.name)
        var sent = 0
        #expect(throws: NotifySocket.Failure.full) {
            for _ in 0..<100_000 {
                try flood.send("FILLER=1")
                sent += 1
            }
        }
        let ready = Task { await supervision.ready(at: "http://a", clock: clock, logger: logger) }
        await clock.waitForSleeper(dueIn: .milliseconds(100))
        for _ in 0..<sent { #expect(try await manager.message() == "FILLER=1") }
        clock.advance(by: .milliseconds(100))
        #expect(try await manager.message() == "READY=1\nSTATUS=Serving at http://a")
        await ready.value
    }

    @Test func `child processes do not inherit the variables of the service manager`() {
        setenv("WATCHDOG_PID", "1", 1)
        setenv("LISTEN_FDNAMES", "a", 1)
        Supervision.forget()
        for name in Supervision.variables { #expect(getenv(name) == nil) }
    }

    @Test func `a response at an inherited socket equals one at an own socket`() async throws {
        var heads: [[String]] = []
        for listening in Listening.allCases {
            try await withLiveService(listening) { _, live in
                let answer = try await RawConnection.exchange(
                    "GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", port: live.port)
                let head = try #require(answer.components(separatedBy: "\r\n\r\n").first)
                heads.append(head.components(separatedBy: "\r\n").map { String($0.prefix { $0 != ":" }) }.sorted())
            }
        }
        #expect(heads[0] == heads[1] && heads[0].contains("Date"))
    }
}
