import StrataDomain
import Testing

struct ConnectivityStatesTests {
    @Test func `nothing is told twice in a row, and the end is told`() async {
        let source = AsyncStream<Connectivity> { continuation in
            for state in [Connectivity.online, .online, .offline, .offline, .online] { continuation.yield(state) }
            continuation.finish()
        }
        var seen: [Connectivity] = []
        for await state in ConnectivityStates(source) { seen.append(state) }
        #expect(seen == [.online, .offline, .online])
    }

    @Test(arguments: Connectivity.allCases)
    func `a fixed state is told at once`(state: Connectivity) async {
        #expect(await FixedConnectivity(state).current() == state)
    }
}
