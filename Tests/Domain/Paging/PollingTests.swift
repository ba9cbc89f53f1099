import FoundationEssentials
import StrataDomain
import StrataTesting
import Testing

struct PollingTests {
    private struct Export: Codable, Sendable, Equatable { var state: String }

    private struct ShowExport: ManualEndpoint {
        typealias Response = Export
        var method: HTTPMethod { .get }
        var path: String { "/exports/1" }
    }

    private let clock = ManualClock()
    private let client: MockAPIClient
    private let asked = CallCounter()

    init() {
        client = MockAPIClient(context: ClientContext(clock: clock, wallClock: ManualWallClock()))
    }

    /// Answers with these states in order, the last one over and over.
    private func serve(_ states: [(head: ResponseHead, state: JobState<Export>)]) {
        client.onResponse(RespondingEndpoint<ShowExport, JobState<Export>>.self) { [asked] _, _ in
            let (head, state) = states[min(asked.increment(), states.count) - 1]
            return APIResponse(head: head, value: state)
        }
    }

    private let accepted = ResponseHead(status: 202)
    private let done = (head: ResponseHead(status: 200), state: JobState.done(Export(state: "done")))

    @Test func `asks at once, then after the interval or the wait that the server asks for`() async throws {
        serve([
            (accepted, .running), (ResponseHead(status: 202, headers: ["Retry-After": "7"]), .running),
            (ResponseHead(status: 202, headers: ["Retry-After": "0"]), .running), done,
        ])
        async let result = client.poll(ShowExport(), every: .seconds(3))
        for wait in [Duration.seconds(3), .seconds(7), .seconds(3)] {
            await clock.waitForSleeper(dueIn: wait)
            clock.advance(by: wait)
        }
        #expect(try await result.value == Export(state: "done"))
        #expect(asked.value == 4)
    }

    @Test func `a state in the body goes on until the caller takes it`() async throws {
        serve([(ResponseHead(status: 200), .done(Export(state: "running"))), done])
        async let result = client.poll(ShowExport()) { $0.value.state == "done" }
        await clock.waitForSleeper(dueIn: .seconds(2))
        clock.advance(by: .seconds(2))
        #expect(try await result.value.state == "done")
    }

    @Test func `the deadline covers all requests and waits, and no wait that would pass it begins`() async throws {
        serve([(accepted, .running)])
        let call = Task { [client] in
            try await client.poll(ShowExport(), every: .seconds(4), options: CallOptions(deadline: .seconds(10)))
        }
        for _ in 0..<2 {
            await clock.waitForSleeper(dueIn: .seconds(4))
            clock.advance(by: .seconds(4))
        }
        let result = await call.result
        let error = #expect(throws: NetworkError.self) { _ = try result.get() }
        #expect(error?.kind == .timeout)
        #expect(client.calls.map(\.options.deadline) == [.seconds(10), .seconds(6), .seconds(2)])
    }

    @Test func `without a deadline it is ten minutes`() async throws {
        serve([done])
        _ = try await client.poll(ShowExport())
        #expect(client.calls.map(\.options.deadline) == [.seconds(600)])
    }

    @Test func `a cancelled poll ends at once`() async throws {
        serve([(accepted, .running)])
        let call = Task { [client] in try await client.poll(ShowExport()) }
        await clock.waitForSleeper(dueIn: .seconds(2))
        call.cancel()
        let result = await call.result
        let error = #expect(throws: NetworkError.self) { _ = try result.get() }
        #expect(error?.kind == .cancelled)
        #expect(asked.value == 1)
    }
}
