/// A way to a range of addresses.
struct RouteRecord: Sendable, Hashable {
    enum Kind: UInt8, Sendable, Hashable {
        case unicast = 1
        /// To this host itself.
        case local = 2
    }

    let family: IPAddress.Family
    /// `nil` for the default route.
    let destination: IPAddress?
    /// Bits of `destination` that count.
    let prefix: Int
    let table: UInt32
    /// `nil` for a route that leads nowhere, such as `unreachable`, or to many.
    let kind: Kind?
    /// Indices of the interfaces it goes out through; dead next hops are left out.
    let links: [Int32]

    init(
        family: IPAddress.Family, destination: IPAddress? = nil, prefix: Int = 0, table: UInt32 = 254,
        kind: Kind? = .unicast, links: [Int32]
    ) {
        self.family = family
        self.destination = destination
        self.prefix = prefix
        self.table = table
        self.kind = kind
        self.links = links
    }

    /// Reads an `rtmsg` and its attributes.
    ///
    /// - Returns: `nil` for a family other than IPv4 and IPv6, for a cached copy, and for a route that depends on where
    ///   the packet comes from.
    init?(_ payload: ArraySlice<UInt8>) throws(NetlinkFault) {
        let family = try payload.integer(at: 0, of: UInt8.self, in: "a route")
        let prefix = Int(try payload.integer(at: 1, of: UInt8.self, in: "a route"))
        let sourcePrefix = try payload.integer(at: 2, of: UInt8.self, in: "a route")
        var table = UInt32(try payload.integer(at: 4, of: UInt8.self, in: "a route"))
        let kind = try payload.integer(at: 7, of: UInt8.self, in: "a route")
        let flags = try payload.integer(at: 8, of: UInt32.self, in: "a route")
        guard let family = IPAddress.Family(rawValue: family), flags & 0x200 == 0, sourcePrefix == 0 else { return nil }
        guard prefix <= family.length * 8 else { throw .wrongValue(what: "the prefix of a route", value: prefix) }
        var destination: IPAddress?
        var links: [Int32] = []
        for attribute in try NetlinkAttribute.all(in: payload.dropFirst(12)) {
            switch attribute.type {
            case 1:
                destination = IPAddress(family, attribute.value)
                if destination == nil {
                    throw .wrongValue(what: "the length of a destination", value: attribute.value.count)
                }
            case 4 where flags & 1 == 0:
                links.append(try attribute.value.integer(at: 0, of: Int32.self, in: "the link of a route"))
            case 9: links += try Self.nextHops(attribute.value)
            case 15: table = try attribute.value.integer(at: 0, of: UInt32.self, in: "the table of a route")
            default: break
            }
        }
        guard prefix == 0 || destination != nil else {
            throw .wrongValue(what: "the prefix of no address", value: prefix)
        }
        self.init(
            family: family, destination: prefix == 0 ? nil : destination, prefix: prefix, table: table,
            kind: Kind(rawValue: kind), links: links)
    }

    /// Reads a list of `rtnexthop`.
    private static func nextHops(_ bytes: ArraySlice<UInt8>) throws(NetlinkFault) -> [Int32] {
        var links: [Int32] = []
        var rest = bytes
        while !rest.isEmpty {
            let length = Int(try rest.integer(at: 0, of: UInt16.self, in: "a next hop"))
            let flags = try rest.integer(at: 2, of: UInt8.self, in: "a next hop")
            let link = try rest.integer(at: 4, of: Int32.self, in: "a next hop")
            guard length >= 8, length <= rest.count else {
                throw .wrongLength(what: "a next hop", length: length, available: rest.count)
            }
            // RTNH_F_DEAD
            if flags & 1 == 0 { links.append(link) }
            rest = rest.dropFirst(length.alignedToFour)
        }
        return links
    }

    /// Whether it can matter for `reach`.
    ///
    /// Only the tables that are looked into without policy rules count: local (255), main (254), default (253). A tunnel
    /// keeps the route of its own table even when nothing carries the tunnel.
    func concerns(_ reach: Reach) -> Bool {
        guard (253...255).contains(table) else { return false }
        switch reach {
        case .thisHost: return false
        case .anywhere: return prefix == 0
        case .address(let address):
            guard let destination else { return family == address.family }
            return address.hasPrefix(destination, length: prefix)
        }
    }
}
