import StrataDomain
import Testing

@testable import StrataNetworking

struct RouteTableTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reach: String
        let records: [RouteMessage]
        let isOnline: Bool

        init(_ name: String, to reach: String = "tides.test", _ records: RouteMessage..., online: Bool) {
            (testDescription, self.reach, self.records, isOnline) = (name, reach, records, online)
        }
    }

    private static let loopback = RouteMessage.link(LinkRecord(index: 1, isUp: true, isLoopback: true))
    private static let up = RouteMessage.link(LinkRecord(index: 2, isUp: true, isLoopback: false))
    private static let down = RouteMessage.link(LinkRecord(index: 2, isUp: false, isLoopback: false))
    private static let bridge = RouteMessage.link(LinkRecord(index: 3, isUp: true, isLoopback: false))
    private static let four = address("192.0.2.2")
    private static let six = address("2001:db8::2")
    private static let byDefault = RouteMessage.route(RouteRecord(family: .v4, links: [2]))
    private static let byDefaultSix = RouteMessage.route(RouteRecord(family: .v6, links: [2]))

    private static func address(_ text: String, link: Int32 = 2, usable: Bool = true) -> RouteMessage {
        .address(AddressRecord(link: link, address: IPAddress(text)!, isUsable: usable))
    }

    private static func route(
        _ text: String, _ prefix: Int, link: Int32 = 2, table: UInt32 = 254, kind: RouteRecord.Kind? = .unicast
    ) -> RouteMessage {
        let address = IPAddress(text)!
        return .route(
            RouteRecord(
                family: address.family, destination: address, prefix: prefix, table: table, kind: kind, links: [link]))
    }

    static let cases = [
        Case("nothing at all", online: false),
        Case("the loopback only", loopback, address("127.0.0.1", link: 1, usable: false), online: false),
        Case("link, address and default route", loopback, up, four, byDefault, online: true),
        Case("in whatever order", byDefault, four, up, online: true),
        Case("IPv6 only", up, six, byDefaultSix, online: true),
        Case("no default route", up, four, route("192.0.2.0", 24), online: false),
        Case("no address", up, byDefault, online: false),
        Case("an address that cannot be used", up, address("169.254.1.1", usable: false), byDefault, online: false),
        Case("a link that is down", down, four, byDefault, online: false),
        Case("a link nobody told of", four, byDefault, online: false),
        Case("an address of the other family", up, six, byDefault, online: false),
        Case("the address on another link", up, bridge, address("192.0.2.2", link: 3), byDefault, online: false),
        Case("the address on the loopback", loopback, up, address("192.0.2.2", link: 1), byDefault, online: true),
        Case(
            "a default route through the loopback", loopback, address("192.0.2.2", link: 1),
            .route(RouteRecord(family: .v4, links: [1])), online: false),
        Case(
            "a bridge of containers while the uplink is down", down, bridge, four, address("172.17.0.1", link: 3),
            byDefault, route("172.17.0.0", 16, link: 3), online: false),
        Case(
            "an unreachable default route", up, four, .route(RouteRecord(family: .v4, kind: nil, links: [2])),
            online: false),
        Case(
            "a default route of a tunnel's own table", up, four,
            .route(RouteRecord(family: .v4, table: 51_820, links: [2])), online: false),
        Case(
            "a default route without a living hop", up, four, .route(RouteRecord(family: .v4, links: [])), online: false
        ),
        Case(
            "one living hop of two", down, bridge, address("192.0.2.2", link: 3),
            .route(RouteRecord(family: .v4, links: [2, 3])), online: true),
        Case("a server next door", to: "192.0.2.9", up, four, route("192.0.2.0", 24), online: true),
        Case("a server elsewhere", to: "203.0.113.9", up, four, route("192.0.2.0", 24), online: false),
        Case(
            "a server elsewhere, with a default route", to: "203.0.113.9", up, four, route("192.0.2.0", 24), byDefault,
            online: true),
        Case(
            "the more specific route is down", to: "192.0.2.9", down, bridge, address("10.0.0.1", link: 3), four,
            route("192.0.2.0", 24), .route(RouteRecord(family: .v4, links: [3])), online: false),
        Case(
            "a hole in the route", to: "192.0.2.9", up, four, route("192.0.2.0", 24), route("192.0.2.8", 30, kind: nil),
            online: false),
        Case(
            "this host itself", to: "192.0.2.2", loopback, route("192.0.2.2", 32, link: 1, table: 255, kind: .local),
            online: true),
        Case("an IPv6 server needs an IPv6 route", to: "[2001:db8::9]", up, four, byDefault, online: false),
        Case("an IPv6 server next door", to: "[2001:db8::9]", up, six, route("2001:db8::", 64), online: true),
        Case("a mapped address is IPv4", to: "[::ffff:192.0.2.9]", up, four, byDefault, online: true),
        Case("the loopback is always reached", to: "127.0.0.1", online: true),
        Case("all of the loopback's network is", to: "127.8.9.10", online: true),
        Case("so is that of IPv6", to: "[::1]", online: true),
        Case("and by name", to: "localhost", online: true),
        Case("and below that name", to: "shift.localhost", online: true),
        Case("but not what only begins like it", to: "localhost.test", online: false),
    ]

    @Test(arguments: cases)
    func `the tables decide`(example: Case) throws {
        var table = RouteTable(Reach(try HTTPURL("http://\(example.reach):8080").origin))
        for record in example.records { table.add(record) }
        #expect(table.isOnline == example.isOnline)
    }

    @Test func `a router's full table is not kept`() {
        var table = RouteTable(.anywhere)
        let empty = table
        for number in 0..<255 as Range<UInt8> { table.add(Self.route("10.\(number).0.0", 16)) }
        #expect(table == empty)
    }

    @Test(arguments: [
        ("192.0.2.130", "192.0.2.128", 25, true), ("192.0.2.130", "192.0.2.0", 25, false),
        ("1.2.3.4", "9.9.9.9", 0, true),
        ("192.0.2.130", "192.0.2.130", 32, true), ("192.0.2.131", "192.0.2.130", 32, false),
        ("192.0.2.131", "192.0.2.130", 31, true), ("2001:db8::1", "2001:db8::", 127, true),
        ("2001:db8::2", "2001:db8::", 127, false), ("192.0.2.1", "::", 0, false), ("192.0.2.1", "192.0.2.1", 33, false),
    ])
    func `a prefix holds the addresses that share its bits`(address: String, prefix: String, length: Int, holds: Bool)
        throws
    {
        #expect(try #require(IPAddress(address)).hasPrefix(try #require(IPAddress(prefix)), length: length) == holds)
    }
}
