import FoundationEssentials
import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

/// Damaged event streams through the client: what is whole is given out, and each run ends by its deadline.
struct EventStreamMutationTests {
    /// What the server does after the bytes.
    private enum Ending: CaseIterable, Sendable { case closed, lost, silent }

    private static let deadline = Duration.seconds(60)
    private static let limit = 64
    /// The credential of the client, which the server repeats.
    private static let secret = Canary("bearer token", text: "canary-stream-0b5d1f93a")

    private static var sound: String {
        """
        \u{FEFF}: \(secret.text)
        id: 1
        event: add
        data: {"token":"\(secret.text)"}

        retry: 2000
        id: \(secret.text)
        data: b
        data: c\r
        \r
        id: 3\rdata: \(secret.text)\r\rdata: half of \(secret.text)
        """
    }

    /// What the parser, which has tests of its own, finds in the bytes.
    private struct Reading {
        var events: [ServerSentEvent] = []
        var wait = Duration.seconds(3)
        var id = ""
        var isTooLong = false

        init(_ pieces: [Data]) {
            var parser = ServerSentEventParser(upTo: limit)
            do throws(NetworkError) {
                for piece in pieces {
                    parser.append(piece)
                    while let event = try parser.next() { events.append(event) }
                }
            } catch { isTooLong = true }
            let first = max(parser.retry ?? .seconds(3), .milliseconds(100))
            // The jitter of the bench is one half of the half.
            wait = first + first / 2 * 0.5
            id = parser.lastEventID
        }

        var canSendID: Bool { id.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }
    }

    /// - Parameter asked: Opened when the client asks for more than `pieces`.
    private func answer(_ pieces: [Data], then ending: Ending, asked: Gate) -> ScriptedTransport.Answer {
        ScriptedTransport.Answer { _ in
            let count = CallCounter()
            let body = AsyncThrowingStream<Data, any Error> {
                let number = count.increment()
                guard number > pieces.count else { return pieces[number - 1] }
                asked.open()
                switch ending {
                case .closed: return nil
                case .lost: throw NetworkError(.connectionLost("reset"))
                case .silent:
                    try await Gate().wait()
                    return nil
                }
            }
            let head = ResponseHead(status: 200, headers: ["Content-Type": "text/event-stream"])
            return ClientResponse(head, body: ResponseBody(body))
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: 0..<10)
    func `a damaged stream gives its whole events, ends by its deadline and shows no secret`(seed: UInt64) async throws
    {
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            let pieces = random.pieces(of: random.damaged(Self.sound, adding: "\n\r:\0 \u{1}9"))
            let ending = Ending.allCases[Int.random(in: 0..<3, using: &random)]
            try await check(pieces, ending)
        }
    }

    private func check(_ pieces: [Data], _ ending: Ending) async throws {
        let (reading, asked) = (Reading(pieces), Gate())
        let bench = try Bench(
            answer(pieces, then: ending, asked: asked), .status(204), auth: .token(Self.secret.secret))
        let call = Task {
            // Both limits of a connection end with the call's, and no wait is as long.
            let options = CallOptions(deadline: .after(Self.deadline), attemptTimeout: Self.deadline)
            var events: [ServerSentEvent] = []
            do throws(NetworkError) {
                for try await event in bench.client.events(ShowTide(), upTo: Self.limit, options: options) {
                    events.append(event)
                }
            } catch { return (events, Optional(error)) }
            return (events, nil)
        }
        let opensAgain = !reading.isTooLong && ending != .silent && reading.wait < Self.deadline
        if ending == .silent, !reading.isTooLong {
            try await asked.wait()
            await pass(Self.deadline, bench)
        } else if opensAgain {
            await pass(reading.wait, bench)
        }
        let (events, error) = await call.value

        #expect(events == reading.events)
        let requests = bench.transport.requests
        #expect(requests.count == (opensAgain && reading.canSendID ? 2 : 1), "\(pieces)")
        switch error?.kind {
        case nil:
            #expect(opensAgain && reading.canSendID)
            #expect(requests.last?.headers["Last-Event-ID"] == (reading.id.isEmpty ? nil : reading.id))
        case .invalidResponse: #expect(reading.isTooLong || opensAgain && !reading.canSendID)
        case .timeout: #expect(!opensAgain && !reading.isTooLong && ending != .lost)
        case .connectionLost: #expect(!opensAgain && !reading.isTooLong && ending == .lost)
        case let other?: Issue.record("\(other) for \(pieces)")
        }
        var sinks = Sinks()
        if let error { sinks.add(value: error, as: "error") }
        sinks.add("log", bench.logs.lines.joined(separator: "\n"))
        sinks.add("events", "\(bench.events.all)")
        #expect(sinks.leaks(of: [Self.secret]).isEmpty)
    }

    /// Moves the clock over a wait as soon as it has begun.
    private func pass(_ wait: Duration, _ bench: Bench) async {
        await bench.clock.waitForSleeper(dueIn: wait)
        bench.clock.advance(by: wait)
    }
}
