import StrataTesting
import Testing

@testable import StrataNetworking

struct NetlinkDecodingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let messages: [RouteMessage]?
        init(_ name: String, _ bytes: [UInt8], gives messages: [RouteMessage]?) {
            (testDescription, self.bytes, self.messages) = (name, bytes, messages)
        }
    }

    private static func decode(_ bytes: [UInt8]) throws(NetlinkFault) -> [RouteMessage] {
        var records: [RouteMessage] = []
        for message in try NetlinkMessage.all(in: bytes) { records.append(try RouteMessage(message)) }
        return records
    }

    private static func record(_ text: String, link: Int32 = 2, usable: Bool = true) -> AddressRecord {
        AddressRecord(link: link, address: IPAddress(text)!, isUsable: usable)
    }

    private static func route(_ text: String, _ prefix: Int, links: [Int32] = [2]) -> RouteRecord {
        let address = IPAddress(text)!
        return RouteRecord(
            family: address.family, destination: prefix == 0 ? nil : address, prefix: prefix, links: links)
    }

    static let legal = [
        Case("nothing", [], gives: []),
        Case(
            "a link that is up", Datagram.message(16, Datagram.link(2)),
            gives: [.link(LinkRecord(index: 2, isUp: true, isLoopback: false))]),
        Case(
            "a link without carrier", Datagram.message(16, Datagram.link(2, flags: 0x1)),
            gives: [.link(LinkRecord(index: 2, isUp: false, isLoopback: false))]),
        Case(
            "a link brought down", Datagram.message(16, Datagram.link(2, flags: 0x40)),
            gives: [.link(LinkRecord(index: 2, isUp: false, isLoopback: false))]),
        Case(
            "the loopback", Datagram.message(16, Datagram.link(1, flags: 0x49)),
            gives: [.link(LinkRecord(index: 1, isUp: true, isLoopback: true))]),
        Case("a link that is gone", Datagram.message(17, Datagram.link(7)), gives: [.linkGone(7)]),
        Case("a port of a bridge", Datagram.message(16, Datagram.link(2, family: 7)), gives: [.other(16)]),
        Case(
            "an IPv4 address", Datagram.message(20, Datagram.address(2, "192.0.2.2")),
            gives: [.address(record("192.0.2.2"))]),
        Case(
            "an IPv6 address", Datagram.message(20, Datagram.address(2, "2001:db8::2")),
            gives: [.address(record("2001:db8::2"))]),
        Case(
            "a unique local address", Datagram.message(20, Datagram.address(2, "fd00::2")),
            gives: [.address(record("fd00::2"))]),
        Case(
            "an address that is gone", Datagram.message(21, Datagram.address(2, "192.0.2.2")),
            gives: [.addressGone(record("192.0.2.2"))]),
        Case(
            "an address of link scope", Datagram.message(20, Datagram.address(2, "192.0.2.2", scope: 253)),
            gives: [.address(record("192.0.2.2", usable: false))]),
        Case(
            "an address of host scope", Datagram.message(20, Datagram.address(1, "127.0.0.1", scope: 254)),
            gives: [.address(record("127.0.0.1", link: 1, usable: false))]),
        Case(
            "an IPv4 link-local address whatever its scope", Datagram.message(20, Datagram.address(2, "169.254.3.4")),
            gives: [.address(record("169.254.3.4", usable: false))]),
        Case(
            "an IPv6 link-local address", Datagram.message(20, Datagram.address(2, "fe80::1")),
            gives: [.address(record("fe80::1", usable: false))]),
        Case(
            "a tentative address", Datagram.message(20, Datagram.address(2, "2001:db8::2", flags: 0x40)),
            gives: [.address(record("2001:db8::2", usable: false))]),
        Case(
            "an optimistic one", Datagram.message(20, Datagram.address(2, "2001:db8::2", flags: 0x44)),
            gives: [.address(record("2001:db8::2"))]),
        Case(
            "a duplicate", Datagram.message(20, Datagram.address(2, "2001:db8::2", flags: 0x08)),
            gives: [.address(record("2001:db8::2", usable: false))]),
        Case(
            "long flags win", Datagram.message(20, Datagram.address(2, "2001:db8::2", longFlags: 0x40)),
            gives: [.address(record("2001:db8::2", usable: false))]),
        Case(
            "one's own address, not the peer's",
            Datagram.message(20, Datagram.address(2, "203.0.113.9") + Datagram.attribute(2, [192, 0, 2, 2])),
            gives: [.address(record("192.0.2.2"))]),
        Case("an address of another family", Datagram.message(20, [28, 0, 0, 0, 2, 0, 0, 0]), gives: [.other(20)]),
        Case("a default route", Datagram.message(24, Datagram.route()), gives: [.route(route("0.0.0.0", 0))]),
        Case("an IPv6 default route", Datagram.message(24, Datagram.route("::")), gives: [.route(route("::", 0))]),
        Case(
            "a route that is gone", Datagram.message(25, Datagram.route("10.0.0.0", prefix: 8)),
            gives: [.routeGone(route("10.0.0.0", 8))]),
        Case(
            "a dead route keeps no link", Datagram.message(24, Datagram.route(flags: 1)),
            gives: [.route(route("0.0.0.0", 0, links: []))]),
        Case(
            "a route of many hops keeps the living",
            Datagram.message(
                24,
                Datagram.route(
                    link: nil,
                    extra: Datagram.attribute(
                        9, Datagram.nextHop(2) + Datagram.nextHop(3, flags: 1) + Datagram.nextHop(4)))),
            gives: [.route(route("0.0.0.0", 0, links: [2, 4]))]),
        Case(
            "a table beyond 255",
            Datagram.message(
                24, Datagram.route(table: 0, extra: Datagram.attribute(15, Datagram.number(UInt32(51_820))))),
            gives: [.route(RouteRecord(family: .v4, table: 51_820, links: [2]))]),
        Case(
            "an unreachable route", Datagram.message(24, Datagram.route(type: 7)),
            gives: [.route(RouteRecord(family: .v4, kind: nil, links: [2]))]),
        Case("a cached route", Datagram.message(24, Datagram.route(flags: 0x200)), gives: [.other(24)]),
        Case(
            "a route that depends on its source", Datagram.message(24, Datagram.route(source: 8)), gives: [.other(24)]),
        Case("a multicast route", Datagram.message(24, [129] + [UInt8](repeating: 0, count: 11)), gives: [.other(24)]),
        Case("the end", Datagram.done(sequence: 0), gives: [.done]),
        Case("the end of old kernels", Datagram.message(3), gives: [.done]),
        Case("the end with an error", Datagram.done(sequence: 0, code: -12), gives: [.failure(12)]),
        Case("an error", Datagram.message(2, Datagram.number(Int32(-95))), gives: [.failure(95)]),
        Case("the strangest error", Datagram.message(2, Datagram.number(Int32.min)), gives: [.failure(.max)]),
        Case("an acknowledgement", Datagram.message(2, Datagram.number(Int32(0))), gives: [.failure(0)]),
        Case("an overrun", Datagram.message(4), gives: [.overrun]),
        Case("nothing to do", Datagram.message(1), gives: [.other(1)]),
        Case("an unknown type", Datagram.message(999, [1, 2, 3]), gives: [.other(999)]),
        Case(
            "an unknown attribute", Datagram.message(24, Datagram.route(extra: Datagram.attribute(0x3FFE, [1]))),
            gives: [.route(route("0.0.0.0", 0))]),
        Case(
            "an attribute with flags in its type",
            Datagram.message(
                24, Datagram.route(link: nil, extra: Datagram.attribute(0x8004, Datagram.number(Int32(5))))),
            gives: [.route(route("0.0.0.0", 0, links: [5]))]),
        Case(
            "padding behind the attributes", Datagram.message(24, Datagram.route() + [0, 0]),
            gives: [.route(route("0.0.0.0", 0))]),
        Case(
            "several messages",
            Datagram.message(17, Datagram.link(2)) + Datagram.message(999, [1]) + Datagram.message(3),
            gives: [.linkGone(2), .other(999), .done]),
    ]

    @Test(arguments: legal)
    func `what the kernel says is read`(example: Case) throws {
        #expect(try Self.decode(example.bytes) == example.messages)
    }

    static let illegal = [
        Case("less than a header", [16, 0, 0], gives: nil),
        Case("half a header", [UInt8](repeating: 0, count: 15), gives: nil),
        Case("a length of zero", Datagram.message(16, length: 0, Datagram.link(2)), gives: nil),
        Case("a length below the header", Datagram.message(16, length: 15, Datagram.link(2)), gives: nil),
        Case("a length beyond the end", Datagram.message(16, length: 500, Datagram.link(2)), gives: nil),
        Case("the greatest length", Datagram.message(16, length: .max, Datagram.link(2)), gives: nil),
        Case("a link cut short", Datagram.message(16, Array(Datagram.link(2).prefix(15))), gives: nil),
        Case("a link of no index", Datagram.message(16, Datagram.link(0)), gives: nil),
        Case("a link of a negative index", Datagram.message(16, Datagram.link(-1)), gives: nil),
        Case("an address cut short", Datagram.message(20, [2, 24, 0, 0, 2, 0]), gives: nil),
        Case("an address without bytes", Datagram.message(20, [2, 24, 0, 0, 2, 0, 0, 0]), gives: nil),
        Case(
            "an IPv4 address of five bytes",
            Datagram.message(20, [2, 24, 0, 0, 2, 0, 0, 0] + Datagram.attribute(1, [1, 2, 3, 4, 5])), gives: nil),
        Case(
            "an IPv6 address of four bytes",
            Datagram.message(20, [10, 64, 0, 0, 2, 0, 0, 0] + Datagram.attribute(1, [1, 2, 3, 4])), gives: nil),
        Case(
            "flags cut short", Datagram.message(20, Datagram.address(2, "192.0.2.2") + Datagram.attribute(8, [1])),
            gives: nil),
        Case(
            "an attribute of no length",
            Datagram.message(20, Datagram.address(2, "192.0.2.2") + Datagram.attribute(3, [1], length: 0)), gives: nil),
        Case(
            "an attribute below its header",
            Datagram.message(20, Datagram.address(2, "192.0.2.2") + Datagram.attribute(3, [1], length: 3)), gives: nil),
        Case(
            "an attribute beyond the end",
            Datagram.message(20, Datagram.address(2, "192.0.2.2") + Datagram.attribute(3, [1], length: 60)), gives: nil),
        Case("a route cut short", Datagram.message(24, Array(Datagram.route().prefix(11))), gives: nil),
        Case("an IPv4 prefix of 33", Datagram.message(24, Datagram.route("10.0.0.0", prefix: 33)), gives: nil),
        Case("an IPv6 prefix of 129", Datagram.message(24, Datagram.route("2001:db8::", prefix: 129)), gives: nil),
        Case("a prefix of no address", Datagram.message(24, [2, 8, 0, 0, 254, 2, 0, 1, 0, 0, 0, 0]), gives: nil),
        Case(
            "a destination of three bytes",
            Datagram.message(24, Datagram.route(extra: Datagram.attribute(1, [1, 2, 3]))), gives: nil),
        Case(
            "a link cut short in a route",
            Datagram.message(24, Datagram.route(link: nil, extra: Datagram.attribute(4, [2, 0]))), gives: nil),
        Case(
            "a table cut short", Datagram.message(24, Datagram.route(extra: Datagram.attribute(15, [2, 0]))), gives: nil
        ),
        Case(
            "a next hop of no length",
            Datagram.message(24, Datagram.route(extra: Datagram.attribute(9, Datagram.nextHop(2, length: 0)))),
            gives: nil),
        Case(
            "a next hop beyond the end",
            Datagram.message(24, Datagram.route(extra: Datagram.attribute(9, Datagram.nextHop(2, length: 99)))),
            gives: nil),
        Case(
            "a next hop cut short",
            Datagram.message(24, Datagram.route(extra: Datagram.attribute(9, [8, 0, 0, 0, 2, 0]))), gives: nil),
        Case("an error without a number", Datagram.message(2, [1, 2]), gives: nil),
        Case("an end with half a number", Datagram.message(3, [1, 2]), gives: nil),
        Case("garbage behind a good message", Datagram.message(17, Datagram.link(2)) + [9, 9, 9], gives: nil),
    ]

    @Test(arguments: illegal)
    func `what cannot be is an error`(example: Case) {
        #expect(throws: NetlinkFault.self) { try Self.decode(example.bytes) }
        #expect(RouteNotice.datagram(example.bytes).mayChange(.anywhere))
    }

    @Test(arguments: legal)
    func `cut anywhere, it is read or refused, never more`(example: Case) {
        for count in 0..<example.bytes.count {
            _ = try? Self.decode(Array(example.bytes.prefix(count)))
        }
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `noise is read or refused`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bytes = Self.legal[Int.random(in: 0..<Self.legal.count, using: &random)].bytes
        bytes += Self.legal[Int.random(in: 0..<Self.legal.count, using: &random)].bytes
        for _ in 0..<200 where !bytes.isEmpty {
            var noisy = bytes
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                noisy[Int.random(in: 0..<noisy.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? Self.decode(noisy)
        }
    }

    @Test func `a fault names what is wrong`() {
        #expect(throws: NetlinkFault.wrongLength(what: "a netlink message", length: 500, available: 44)) {
            try Self.decode(Datagram.message(16, length: 500, Array(Datagram.link(2).prefix(28))))
        }
        #expect(
            "\(NetlinkFault.truncated(what: "a link", needed: 16, available: 3))" == "a link needs 16 bytes and has 3")
    }

    @Test(arguments: zip(RouteRequest.allCases, [32, 24, 28]))
    func `a request asks for every entry`(request: RouteRequest, length: Int) throws {
        let bytes = request.datagram(sequence: 9)
        let message = try #require(try NetlinkMessage.all(in: bytes).first)
        #expect(bytes.count == length)
        #expect(message.type == request.rawValue && message.flags == 0x301 && message.sequence == 9)
        #expect(message.payload.allSatisfy { $0 == 0 })
    }
}
