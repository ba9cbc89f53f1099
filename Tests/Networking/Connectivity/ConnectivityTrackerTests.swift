import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ConnectivityTrackerTests {
    private let clock = ManualClock()

    @Test func `failed connections mean offline until a response arrives`() async throws {
        let tracker = ConnectivityTracker(links: ManualConnectivity(), clock: clock)
        var states = tracker.states().makeAsyncIterator()
        #expect(await states.next() == .online)
        let origin = try Origin(scheme: "http", host: "tides.test")
        for _ in 1...3 { tracker.note(.noConnection, from: origin) }
        #expect(await states.next() == .offline)
        tracker.note(.answered, from: origin)
        #expect(await states.next() == .online)
    }

    @Test func `a response means online until the links change`() async throws {
        let links = ManualConnectivity(.offline)
        let tracker = ConnectivityTracker(links: links, clock: clock)
        var states = tracker.states().makeAsyncIterator()
        #expect(await states.next() == .offline)
        tracker.note(.answered, from: try Origin(scheme: "http", host: "tides.test"))
        #expect(await states.next() == .online)
        links.set(.online)
        await links.waitUntilSeen()
        links.set(.offline)
        #expect(await states.next() == .offline)
    }

    @Test(arguments: [200, 404, 503])
    func `the events of a client change the state and reach the next sink`(status: Int) async throws {
        let links = ManualConnectivity(.offline)
        let tracker = ConnectivityTracker(links: links, clock: clock)
        let (events, transport) = (EventRecorder(), ScriptedTransport(.json(tideJSON, status: status)))
        let url = try HTTPURL("http://tides.test")
        let client = try HTTPAPIClient(
            baseURL: url, transport: transport,
            resilience: Resilience(ResilienceOptions(retry: .never), clock: clock),
            events: tracker.following(url.origin, then: events.sink))
        var states = tracker.states().makeAsyncIterator()
        #expect(await states.next() == .offline)
        _ = try? await client.send(ShowTide())
        #expect(await states.next() == .online)
        #expect(events.kinds.first == .callStarted)

        // The links are down: the first call without a connection takes it back.
        transport.append(.failure(.offline("refused")))
        _ = try? await client.send(ShowTide())
        #expect(await states.next() == .offline)
    }

    @Test func `links are watched only while the tracker is observed`() async throws {
        let links = ManualConnectivity()
        let tracker = ConnectivityTracker(links: links, clock: clock)
        #expect(links.observers == 0)
        let task = Task { for await _ in tracker.states() {} }
        await links.waitUntilSeen()
        #expect(links.observers == 1)
        task.cancel()
        await task.value
        try await eventually(links.observers == 0)
    }
}
