import StrataDomain
import StrataNetworking
import StrataTesting
import Testing

struct RemoteTideRepository: Sendable {
    let client: any APIClient

    func tide(named name: String) async throws(DomainError) -> TidePayload {
        do { return try await client.send(ShowTide(name: name)) } catch { throw DomainError(error) }
    }
}

/// The examples of `Docs/Guides/Testing.md`.
struct RepositoryExampleTests {
    @Test func `reads the tide it was asked for`() async throws {
        let client = MockAPIClient()
        client.on(ShowTide.self) { endpoint, _ in TidePayload(name: endpoint.name, metres: 4.2) }
        let tides = RemoteTideRepository(client: client)

        #expect(try await tides.tide(named: "bar").metres == 4.2)
        #expect(client.calls(to: ShowTide.self).map(\.name) == ["bar"])
    }

    @Test func `an unknown tide is an error of the domain`() async {
        let client = MockAPIClient()
        client.fail(ShowTide.self, .notFound(nil))
        let tides = RemoteTideRepository(client: client)

        await #expect(throws: DomainError.notFound("Not found")) {
            try await tides.tide(named: "reef")
        }
    }

    @Test func `a busy server is asked again when it wants to be`() async throws {
        let (clock, server) = (ManualClock(), ScriptedTransport(.status(503, headers: ["Retry-After": "7"])))
        server.append(.json(#"{"name":"bar","metres":4.2}"#))
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.test"), transport: server, resilience: Resilience(clock: clock))

        async let tide = RemoteTideRepository(client: client).tide(named: "bar")
        await clock.waitForSleeper(dueIn: .seconds(7))
        clock.advance(by: .seconds(7))

        #expect(try await tide.metres == 4.2)
        #expect(server.requests.count == 2)
    }

    @Test func `a cancelled reader cancels the request`() async throws {
        let server = ScriptedTransport(.silence)
        let client = try HTTPAPIClient(
            baseURL: HTTPURL("http://tides.test"), transport: server, resilience: Resilience(clock: ManualClock()))

        let reading = Task { try await RemoteTideRepository(client: client).tide(named: "bar") }
        await server.waitForCalls(1)
        reading.cancel()

        await #expect(throws: DomainError.cancelled) { try await reading.value }
        #expect(server.cancelled == 1)
    }
}
