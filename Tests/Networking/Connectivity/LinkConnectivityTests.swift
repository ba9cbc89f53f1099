import StrataDomain
import StrataSystem
import StrataTesting
import Testing

@testable import StrataNetworking

@Suite(.timeLimit(.minutes(1)))
struct LinkConnectivityTests {
    private let clock = ManualClock()

    private func monitor(_ links: FakeLinks, _ target: ReachabilityTarget = .internet) -> LinkConnectivity {
        LinkConnectivity(target, source: links, time: MonotonicTime(clock))
    }

    @Test func `a change counts half a second after its notice`() async {
        let links = FakeLinks()
        var states = monitor(links).states().makeAsyncIterator()
        #expect(await states.next() == .online)
        links.change(isReachable: false)
        await clock.waitForSleeper(dueIn: .milliseconds(500))
        #expect(links.looks == 1)
        clock.advance(by: .milliseconds(500))
        #expect(await states.next() == .offline)
        #expect(links.looks == 2)
    }

    @Test func `a link that flaps within half a second stays online`() async throws {
        let links = FakeLinks()
        var states = monitor(links).states().makeAsyncIterator()
        #expect(await states.next() == .online)
        links.change(isReachable: false)
        await clock.waitForSleeper(dueIn: .milliseconds(500))
        links.change(isReachable: true)
        clock.advance(by: .milliseconds(500))
        // The second notice leads to a look of its own.
        await clock.waitForSleeper(dueIn: .milliseconds(500))
        clock.advance(by: .milliseconds(500))
        try await eventually(links.looks >= 3)
        links.change(isReachable: false)
        await clock.waitForSleeper(dueIn: .milliseconds(500))
        clock.advance(by: .milliseconds(500))
        #expect(await states.next() == .offline)
    }

    @Test func `a kernel that cannot be asked means online until it answers`() async {
        let links = FakeLinks(isReachable: false)
        links.fail(.tooManyOpenFiles)
        var states = monitor(links).states().makeAsyncIterator()
        #expect(await states.next() == .online)
        await clock.waitForSleeper(dueIn: .seconds(30))
        links.fail(nil)
        clock.advance(by: .seconds(30))
        #expect(await states.next() == .offline)
    }

    @Test func `a known state stays while the kernel cannot be asked`() async {
        let links = FakeLinks(isReachable: false)
        var states = monitor(links).states().makeAsyncIterator()
        #expect(await states.next() == .offline)
        links.fail(.tooManyOpenFiles)
        links.notify()
        await clock.waitForSleeper(dueIn: .milliseconds(500))
        clock.advance(by: .milliseconds(500))
        await clock.waitForSleeper(dueIn: .seconds(30))
        links.fail(nil)
        links.set(isReachable: true)
        clock.advance(by: .seconds(30))
        #expect(await states.next() == .online)
    }

    #if os(Linux)
        @Test(arguments: [
            ([], true), ([Errno.noBufferSpace], true), ([.noBufferSpace, .noBufferSpace], true),
            ([.badFileDescriptor], false), ([.noBufferSpace, .noMemory], false),
        ])
        func `lost notices lead to another look, and a broken socket to another subscription`(
            failures: [Errno], isReadable: Bool
        ) {
            var left = failures
            #expect(
                KernelLinks.drain { () throws(Errno) in throw left.isEmpty ? .wouldBlock : left.removeFirst() }
                    == isReadable)
            #expect(left.isEmpty)
        }
    #endif

    @Test func `the monitor subscribes again after the notices end`() async {
        let links = FakeLinks()
        var states = monitor(links).states().makeAsyncIterator()
        #expect(await states.next() == .online)
        links.set(isReachable: false)
        links.endNotices()
        await clock.waitForSleeper(dueIn: .seconds(30))
        clock.advance(by: .seconds(30))
        #expect(await states.next() == .offline)
    }

    @Test func `a server on this host is always reached, without a look`() async {
        let links = FakeLinks(isReachable: false)
        #expect(await monitor(links, .thisHost).current() == .online)
        #expect(links.subscriptions == 0)
    }

    @Test func `observers share one subscription, which ends with the last`() async throws {
        let links = FakeLinks()
        let monitor = monitor(links)
        let tasks = (0..<5).map { _ in
            Task { for await _ in monitor.states() {} }
        }
        try await eventually(links.looks > 0)
        #expect(await monitor.current() == .online)
        #expect(links.observers == 1)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        try await eventually(links.observers == 0)
        #expect(await monitor.current() == .online)
        #expect(links.subscriptions == 2)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", ReachabilityTarget.thisHost), ("http://127.9.9.9", .thisHost),
        ("http://[::1]:8080", .thisHost), ("https://localhost", .thisHost), ("https://a.localhost", .thisHost),
        ("http://[::ffff:127.0.0.1]", .thisHost), ("https://tides.test", .internet),
        ("https://localhost.test", .internet),
    ])
    func `an origin on this host needs no link, a name the internet`(url: String, target: ReachabilityTarget) throws {
        #expect(ReachabilityTarget(try HTTPURL(url).origin) == target)
    }

    @Test(arguments: [("http://192.0.2.9", "192.0.2.9"), ("http://[2001:db8::9]:80", "2001:db8::9")])
    func `an origin with an address needs the route to it`(url: String, address: String) throws {
        #expect(ReachabilityTarget(try HTTPURL(url).origin) == .address(try #require(IPAddress(address))))
    }

    @Test(arguments: [
        ("192.0.2.1", true), ("2001:db8::1", true), ("0.0.0.0", false), ("169.254.1.1", false), ("169.253.1.1", true),
        ("fe80::1", false), ("febf::1", false), ("fec0::1", true),
    ])
    func `other networks answer to all addresses but link-local ones`(text: String, isRoutable: Bool) throws {
        #expect(try #require(IPAddress(text)).isRoutable == isRoutable)
    }
}
