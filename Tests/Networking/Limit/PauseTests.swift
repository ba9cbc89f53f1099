import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

struct PauseTests {
    private let rig = PauseRig()
    private let waits: HeaderFields = ["Retry-After": "7"]

    @Test(arguments: [429, 503])
    func `a later call waits until the server wants it`(status: Int) async throws {
        rig.transport.append(.status(status, headers: waits), .status(200))
        #expect(try await rig.call() == status)
        async let later = rig.call()
        await rig.clock.waitForSleeper(dueIn: .seconds(7))
        #expect(rig.transport.requests.count == 1)
        rig.clock.advance(by: .seconds(7))
        #expect(try await later == 200)
    }

    @Test(arguments: [
        (200, "7"), (301, "7"), (408, "7"), (413, "7"), (500, "7"), (502, "7"), (504, "7"), (429, "0"), (429, "-7"),
        (429, "soon"), (503, ""), (503, "7.5"), (503, "Sat, 21 Nov 2020 09:00:00 GMT"),
    ])
    func `other answers and other wishes pause nothing`(status: Int, field: String) async throws {
        rig.transport.append(.status(status, headers: ["Retry-After": field]), .status(200))
        _ = try await rig.call()
        #expect(try await rig.call() == 200)
        #expect(rig.pauses.snapshot.isEmpty)
    }

    @Test func `429 without a wish pauses nothing`() async throws {
        rig.transport.append(.status(429), .status(200))
        _ = try await rig.call()
        #expect(try await rig.call() == 200)
    }

    @Test(arguments: [
        "Sat, 21 Nov 2026 09:00:07 GMT", "Saturday, 21-Nov-26 09:00:07 GMT", "Sat Nov 21 09:00:07 2026",
    ])
    func `a date is measured against the response's own`(date: String) async throws {
        rig.wallClock.advance(by: .seconds(3600))
        rig.transport.append(
            .status(503, headers: ["Retry-After": date, "Date": "Sat, 21 Nov 2026 09:00:00 GMT"]))
        _ = try await rig.call()
        #expect(rig.pauses.remaining(of: try rig.origin()) == .seconds(7))
    }

    @Test(arguments: [Duration.seconds(7), .seconds(6), .milliseconds(1)])
    func `fails at once, unsent, when waiting would pass the deadline`(deadline: Duration) async throws {
        rig.pauses.pause(try rig.origin(), for: .seconds(7))
        let failure = await rig.failure(deadline: deadline)
        #expect(failure?.kindText == "\(NetworkError.Kind.rateLimited(retryAfter: .seconds(7)))")
        #expect(rig.transport.requests.isEmpty)
        #expect(rig.clock.waits.isEmpty)
    }

    @Test func `no pause is longer than the longest`() async throws {
        rig.transport.append(.status(429, headers: ["Retry-After": "1743440400"]))
        _ = try await rig.call()
        #expect(rig.pauses.remaining(of: try rig.origin()) == .seconds(30))
    }

    @Test func `does not wait longer than its own longest, whoever paused the origin`() async throws {
        rig.pauses.pause(try rig.origin(), for: .seconds(31))
        #expect(await rig.failure(deadline: .seconds(60))?.kindText.hasPrefix("rateLimited") == true)
        #expect(rig.transport.requests.isEmpty)
    }

    @Test func `one origin's pause is not another's`() async throws {
        rig.pauses.pause(try rig.origin(), for: .seconds(7))
        rig.transport.append(.status(200))
        #expect(try await rig.call(host: "other.test") == 200)
    }

    @Test func `a shorter wish does not shorten a pause, a longer one prolongs it`() throws {
        let origin = try rig.origin()
        rig.pauses.pause(origin, for: .seconds(7))
        rig.pauses.pause(origin, for: .seconds(2))
        #expect(rig.pauses.remaining(of: origin) == .seconds(7))
        rig.pauses.pause(origin, for: .seconds(9))
        #expect(rig.pauses.remaining(of: origin) == .seconds(9))
        rig.clock.advance(by: .seconds(9))
        #expect(rig.pauses.remaining(of: origin) == nil)
        #expect(rig.pauses.snapshot.isEmpty)
    }

    @Test func `a pause that is prolonged meanwhile is waited for again`() async throws {
        let origin = try rig.origin()
        rig.pauses.pause(origin, for: .seconds(7))
        rig.transport.append(.status(200))
        async let call = rig.call()
        await rig.clock.waitForSleeper(dueIn: .seconds(7))
        rig.pauses.pause(origin, for: .seconds(10))
        rig.clock.advance(by: .seconds(7))
        await rig.clock.waitForSleeper(dueIn: .seconds(3))
        #expect(rig.transport.requests.isEmpty)
        rig.clock.advance(by: .seconds(3))
        #expect(try await call == 200)
    }

    @Test func `cancelling during the wait ends the call, unsent`() async throws {
        rig.pauses.pause(try rig.origin(), for: .seconds(7))
        let call = Task { try await rig.call() }
        await rig.clock.waitForSleeper(dueIn: .seconds(7))
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(rig.transport.requests.isEmpty)
        #expect(rig.clock.waits.isEmpty)
    }

    @Test func `a hundred waiting calls all go on`() async throws {
        rig.pauses.pause(try rig.origin(), for: .seconds(7))
        for _ in 0..<100 { rig.transport.append(.status(200)) }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await rig.call() } }
            await rig.clock.waitForSleeper(count: 100)
            rig.clock.advance(by: .seconds(7))
            for try await status in group { #expect(status == 200) }
        }
    }

    @Test func `the retry of the same call does not wait twice`() async throws {
        rig.transport.append(.status(503, headers: waits), .status(200))
        let retry = RetryInterceptor(
            .standard, .standard, wallClock: rig.wallClock, random: { 0.5 })
        async let call = rig.call(outside: [retry])
        await rig.clock.waitForSleeper(dueIn: .seconds(7))
        #expect(rig.clock.waits == [.seconds(7)])
        rig.clock.advance(by: .seconds(7))
        #expect(try await call == 200)
        #expect(rig.clock.now.offset == .seconds(7))
    }

    @Test func `remembers only so many, and forgets what ends first`() throws {
        let pauses = OriginPauses(time: MonotonicTime(ManualClock()), wallClock: rig.wallClock, capacity: 10)
        let origins = try (1...100).map { try Origin(scheme: "http", host: "h\($0).test") }
        for (number, origin) in origins.enumerated() { pauses.pause(origin, for: .seconds(number + 1)) }
        #expect(pauses.snapshot.count == 10)
        #expect(pauses.remaining(of: origins[99]) == .seconds(100))
        #expect(pauses.remaining(of: origins[0]) == nil)
    }
}

/// A pipeline of the pause alone.
private struct PauseRig {
    let clock = ManualClock()
    let wallClock = ManualWallClock()
    let transport = ScriptedTransport()
    let pauses: OriginPauses
    private let time: MonotonicTime

    init() {
        time = MonotonicTime(clock)
        pauses = OriginPauses(time: time, wallClock: wallClock)
    }

    func origin() throws -> Origin { try Origin(scheme: "http", host: "tides.test") }

    func call(
        host: String = "tides.test", deadline: Duration = .seconds(30), outside: [any Interceptor] = []
    ) async throws -> Int {
        let pipeline = Pipeline(
            outside + [PauseInterceptor(pauses: pauses, longest: .seconds(30))], transport: transport)
        let context = CallContext(requestId: "r", summary: "GET /", deadline: Deadline(in: deadline, on: time))
        return try await pipeline.send(ClientRequest(.get, HTTPURL("http://\(host)/"), context: context)) {
            $0.head.status
        }
    }

    func failure(deadline: Duration) async -> NetworkError? {
        do {
            _ = try await call(deadline: deadline)
            return nil
        } catch {
            return error as? NetworkError
        }
    }
}
