import StrataDomain
import Testing

struct ConnectivityStatesTests {
    @Test func `no state is delivered twice in a row, and the stream ends`() async {
        let source = AsyncStream<Connectivity> { continuation in
            for state in [Connectivity.online, .online, .offline, .offline, .online] { continuation.yield(state) }
            continuation.finish()
        }
        var seen: [Connectivity] = []
        for await state in ConnectivityStates(source) { seen.append(state) }
        #expect(seen == [.online, .offline, .online])
    }

    @Test(arguments: Connectivity.allCases)
    func `a fixed state is delivered at once`(state: Connectivity) async {
        #expect(await FixedConnectivity(state).current() == state)
    }
}
