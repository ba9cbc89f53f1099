import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

/// A monitor and the way to change what it sees.
struct MonitorRig: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Makes a monitor that is offline, and what sets its state.
    let make: @Sendable () throws -> (any ConnectivityMonitor, @Sendable (Connectivity) throws -> Void)

    static let manual = MonitorRig(testDescription: "the fake") {
        let monitor = ManualConnectivity(.offline)
        return (monitor, { monitor.set($0) })
    }

    static let scripted = MonitorRig(testDescription: "links of a kernel in memory") {
        let links = FakeLinks(isReachable: false)
        return (monitor(links), { links.change(isReachable: $0 == .online) })
    }

    static let tracker = MonitorRig(testDescription: "the tracker") {
        let links = ManualConnectivity(.offline)
        return (ConnectivityTracker(links: links), { links.set($0) })
    }

    static let kernel = MonitorRig(testDescription: "links of the real kernel") {
        let namespace = try Namespace()
        try namespace.addCable()
        return (
            monitor(namespace.links), { $0 == .online ? try namespace.connect() : try namespace.disconnect() }
        )
    }

    private static func monitor(_ links: any LinkSource) -> LinkConnectivity {
        LinkConnectivity(
            .internet, source: links, settle: .milliseconds(1), retry: .milliseconds(5),
            time: MonotonicTime(ContinuousClock()))
    }

    static let all = [manual, scripted, tracker] + (Namespace.isPossible ? [kernel] : [])
}

/// What every monitor does, the fake included. The real kernel takes part where `KernelLinksTests` run.
@Suite(.timeLimit(.minutes(1)))
struct ConnectivityContractTests {
    @Test(arguments: MonitorRig.all)
    func `an observer learns the state and then every change`(rig: MonitorRig) async throws {
        let (monitor, set) = try rig.make()
        var states = monitor.states().makeAsyncIterator()
        #expect(await states.next() == .offline)
        for state in [Connectivity.online, .offline, .online] {
            try set(state)
            #expect(await states.next() == state)
        }
        #expect(await monitor.current() == .online)
    }

    @Test(arguments: MonitorRig.all)
    func `all observers see the same changes, a late one from its first state on`(rig: MonitorRig) async throws {
        let (monitor, set) = try rig.make()
        var first = monitor.states().makeAsyncIterator()
        var second = monitor.states().makeAsyncIterator()
        #expect(await first.next() == .offline)
        #expect(await second.next() == .offline)
        try set(.online)
        #expect(await first.next() == .online)
        var third = monitor.states().makeAsyncIterator()
        #expect(await third.next() == .online)
        #expect(await second.next() == .online)
        try set(.offline)
        #expect(await third.next() == .offline)
        #expect(await second.next() == .offline)
        #expect(await first.next() == .offline)
    }

    @Test(arguments: MonitorRig.all)
    func `a slow observer gets the newest state, and no state twice in a row`(rig: MonitorRig) async throws {
        let (monitor, set) = try rig.make()
        var quick = monitor.states().makeAsyncIterator()
        var slow = monitor.states().makeAsyncIterator()
        #expect(await quick.next() == .offline)
        #expect(await slow.next() == .offline)
        for state in [Connectivity.online, .offline, .online] {
            try set(state)
            try set(state)
            #expect(await quick.next() == state)
        }
        #expect(await slow.next() == .online)
        try set(.offline)
        #expect(await slow.next() == .offline)
    }

    @Test(arguments: MonitorRig.all)
    func `the states end only for the observer whose task is cancelled`(rig: MonitorRig) async throws {
        let (monitor, set) = try rig.make()
        var other = monitor.states().makeAsyncIterator()
        #expect(await other.next() == .offline)
        let seen = Shared(0)
        let task = Task {
            for await _ in monitor.states() { seen.change { $0 += 1 } }
        }
        try await eventually(seen.value > 0)
        task.cancel()
        await task.value
        try set(.online)
        #expect(await other.next() == .online)
        #expect(seen.value == 1)
    }

    @Test(arguments: MonitorRig.all)
    func `states end at once in a cancelled task`(rig: MonitorRig) async throws {
        let (monitor, _) = try rig.make()
        let task = Task {
            try? await Gate().wait()
            for await _ in monitor.states() {}
        }
        task.cancel()
        await task.value
    }
}
