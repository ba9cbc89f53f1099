import StrataDomain
import StrataTesting
import Testing

@testable import StrataNetworking

@Suite(.timeLimit(.minutes(1)))
struct LinkConnectivityTests {
    private let clock = ManualClock()
    private let settle = LinkPace.standard.settle

    private func monitor(_ routes: FakeRoutes, _ reach: Reach = .anywhere) -> LinkConnectivity {
        LinkConnectivity(reach, source: routes, time: MonotonicTime(clock))
    }

    @Test func `a change counts when nothing followed it for a while`() async {
        let routes = FakeRoutes()
        var states = monitor(routes).states().makeAsyncIterator()
        #expect(await states.next() == .online)
        routes.change(isOnline: false)
        await clock.waitForSleeper(dueIn: settle)
        #expect(routes.asked == 3)
        clock.advance(by: settle)
        #expect(await states.next() == .offline)
        #expect(routes.asked == 6)
    }

    @Test func `a link that flaps and ends where it was is not told`() async {
        let routes = FakeRoutes()
        var states = monitor(routes).states().makeAsyncIterator()
        #expect(await states.next() == .online)
        routes.change(isOnline: false)
        await clock.waitForSleeper(dueIn: settle)
        routes.change(isOnline: true)
        clock.advance(by: settle)
        await clock.waitForSleeper(dueIn: settle)
        clock.advance(by: settle)
        await routes.waitForRequests(6)
        // The notice that came meanwhile waits too.
        await clock.waitForSleeper(dueIn: settle)
        clock.advance(by: settle)
        await routes.waitForRequests(9)
        routes.change(isOnline: false)
        await clock.waitForSleeper(dueIn: settle)
        clock.advance(by: settle)
        #expect(await states.next() == .offline)
    }

    @Test func `a link that never rests is looked at all the same`() async {
        let routes = FakeRoutes()
        var states = monitor(routes).states().makeAsyncIterator()
        #expect(await states.next() == .online)
        for _ in 0..<10 {
            routes.change(isOnline: false)
            await clock.waitForSleeper(dueIn: settle)
            #expect(routes.asked == 3)
            routes.change(isOnline: false)
            clock.advance(by: settle)
        }
        #expect(await states.next() == .offline)
    }

    @Test(arguments: [
        RouteNotice.overrun, .datagram([1, 2, 3]), .datagram(Datagram.message(16, length: 900)),
        .datagram(Datagram.message(21, Datagram.address(2, "192.0.2.2"))),
        .datagram(Datagram.message(25, Datagram.route())),
    ])
    func `lost, unreadable and weighty notices all lead to another look`(notice: RouteNotice) async {
        let routes = FakeRoutes()
        var states = monitor(routes).states().makeAsyncIterator()
        #expect(await states.next() == .online)
        routes.set(isOnline: false)
        routes.send(notice)
        await clock.waitForSleeper(dueIn: settle)
        clock.advance(by: settle)
        #expect(await states.next() == .offline)
    }

    @Test(arguments: [
        RouteNotice.datagram([]), .datagram(Datagram.message(999)),
        .datagram(Datagram.message(24, Datagram.route("10.0.0.0", prefix: 8))),
        .datagram(Datagram.message(24, Datagram.route(table: 100))),
    ])
    func `what cannot change the state leads to none`(notice: RouteNotice) { #expect(!notice.mayChange(.anywhere)) }

    @Test(arguments: [
        [[UInt8]](), [[1, 2, 3]], [Datagram.message(16, sequence: 1, length: 4)],
        [Datagram.message(2, sequence: 1, Datagram.number(Int32(-1)))], [Datagram.done(sequence: 1, code: -12)],
    ])
    func `tables that cannot be read mean online, until they can`(reply: [[UInt8]]) async {
        let routes = FakeRoutes(isOnline: false)
        routes.reply(reply)
        var states = monitor(routes).states().makeAsyncIterator()
        #expect(await states.next() == .online)
        await clock.waitForSleeper(dueIn: LinkPace.standard.retry)
        #expect(routes.subscriptions == 0)
        clock.advance(by: LinkPace.standard.retry)
        #expect(await states.next() == .offline)
    }

    @Test func `a known state outlasts tables that cannot be read any more`() async {
        let routes = FakeRoutes(isOnline: false)
        var states = monitor(routes).states().makeAsyncIterator()
        #expect(await states.next() == .offline)
        routes.fail(.refused(1))
        routes.send(.overrun)
        await clock.waitForSleeper(dueIn: settle)
        clock.advance(by: settle)
        await clock.waitForSleeper(dueIn: LinkPace.standard.retry)
        routes.fail(nil)
        routes.set(isOnline: true)
        clock.advance(by: LinkPace.standard.retry)
        #expect(await states.next() == .online)
    }

    @Test func `when the notices end it subscribes anew`() async {
        let routes = FakeRoutes()
        var states = monitor(routes).states().makeAsyncIterator()
        #expect(await states.next() == .online)
        routes.set(isOnline: false)
        routes.send(.ended)
        await clock.waitForSleeper()
        clock.advance(by: .seconds(30))
        #expect(await states.next() == .offline)
    }

    @Test func `an interrupted look is repeated at once`() async {
        let routes = FakeRoutes(isOnline: false)
        routes.reply([Datagram.message(16, flags: 0x12, sequence: 1, Datagram.link(2)), Datagram.done(sequence: 1)])
        var states = monitor(routes).states().makeAsyncIterator()
        #expect(await states.next() == .offline)
        #expect(routes.asked == 6)
    }

    @Test func `a server on this host is always reached, without a look`() async {
        let routes = FakeRoutes(isOnline: false)
        #expect(await monitor(routes, .thisHost).current() == .online)
        #expect(routes.subscribed == 0)
    }

    @Test func `observers share one subscription, which ends with the last`() async {
        let routes = FakeRoutes()
        let monitor = monitor(routes)
        let tasks = (0..<5).map { _ in
            Task { for await _ in monitor.states() {} }
        }
        await routes.waitForRequests(3)
        #expect(await monitor.current() == .online)
        #expect(routes.subscriptions == 1)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        while routes.subscriptions > 0 { await Task.yield() }
        #expect(await monitor.current() == .online)
        #expect(routes.subscribed == 2)
    }
}
