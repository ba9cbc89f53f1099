import Glibc
import StrataDomain
import StrataSystem
import StrataTesting
import Testing

@testable import StrataNetworking

/// The real kernel, in a network of its own.
@Suite(
    .timeLimit(.minutes(1)),
    .enabled(if: Namespace.isPossible, "needs the right to unshare the network, veth links and iproute2"))
struct KernelLinksTests {
    private func monitor(_ namespace: Namespace, _ target: ReachabilityTarget = .internet) -> LinkConnectivity {
        LinkConnectivity(
            target, source: namespace.links, settle: .milliseconds(1), retry: .milliseconds(5),
            time: MonotonicTime(ContinuousClock()))
    }

    @Test func `a host with its loopback only is offline`() async throws {
        let namespace = try Namespace()
        #expect(await monitor(namespace).current() == .offline)
        try namespace.ip(["link set lo up"])
        #expect(await monitor(namespace).current() == .offline)
        #expect(await monitor(namespace, .address(try #require(IPAddress("127.0.0.1")))).current() == .online)
    }

    @Test func `a cable is online while it is plugged in`() async throws {
        let namespace = try Namespace()
        try namespace.addCable()
        var states = monitor(namespace).states().makeAsyncIterator()
        #expect(await states.next() == .offline)
        for _ in 1...3 {
            try namespace.connect()
            #expect(await states.next() == .online)
            try namespace.disconnect()
            #expect(await states.next() == .offline)
        }
    }

    @Test func `a link without a carrier and a missing default route are offline`() async throws {
        let namespace = try Namespace()
        try namespace.addCable()
        try namespace.connect()
        var states = monitor(namespace).states().makeAsyncIterator()
        #expect(await states.next() == .online)
        try namespace.ip(["link set strata1 down"])
        #expect(await states.next() == .offline)
        try namespace.ip(["link set strata1 up"])
        #expect(await states.next() == .online)
        try namespace.ip(["route del default"])
        #expect(await states.next() == .offline)
    }

    @Test func `an address next door needs no default route`() async throws {
        let namespace = try Namespace()
        try namespace.addCable()
        try namespace.connect()
        try namespace.ip(["route del default"])
        #expect(await monitor(namespace, .address(try #require(IPAddress("192.0.2.9")))).current() == .online)
        #expect(await monitor(namespace, .address(try #require(IPAddress("192.0.2.2")))).current() == .online)
        #expect(await monitor(namespace, .address(try #require(IPAddress("203.0.113.9")))).current() == .offline)
        try namespace.ip(["route add unreachable 192.0.2.8/30"])
        #expect(await monitor(namespace, .address(try #require(IPAddress("192.0.2.9")))).current() == .offline)
    }

    @Test func `IPv6 alone is enough`() async throws {
        let namespace = try Namespace()
        try namespace.addCable()
        try namespace.ip([
            "addr flush dev strata0", "link set strata1 up", "link set strata0 up",
            "addr add 2001:db8::2/64 dev strata0 nodad",
        ])
        var states = monitor(namespace).states().makeAsyncIterator()
        #expect(await states.next() == .offline)
        try namespace.ip(["-6 route add default via 2001:db8::1 dev strata0"])
        #expect(await states.next() == .online)
    }

    @Test func `no descriptor is left behind`() async throws {
        let namespace = try Namespace()
        _ = await monitor(namespace).current()
        let before = Self.sockets()
        for _ in 0..<100 { _ = await monitor(namespace).current() }
        try await eventually(Self.sockets() <= before)
        #expect(Self.sockets() <= before)
    }

    @Test func `the host it runs on can be read without privileges`() async {
        let monitor = LinkConnectivity(.internet, source: KernelLinks(), time: MonotonicTime(ContinuousClock()))
        #expect(await monitor.current() != nil)
    }

    /// Open sockets of this process.
    private static func sockets() -> Int {
        (0..<1024).count { descriptor in
            var status = stat()
            return fstat(Int32(descriptor), &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
        }
    }
}
