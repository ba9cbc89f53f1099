/// What the kernel tells about its links, addresses and routes (rtnetlink(7)), as far as reaching a server goes.
enum RouteMessage: Sendable, Hashable {
    case link(LinkRecord)
    case linkGone(Int32)
    case address(AddressRecord)
    case addressGone(AddressRecord)
    case route(RouteRecord)
    case routeGone(RouteRecord)
    /// A dump is complete.
    case done
    /// A request was refused, with the error number; 0 acknowledges it.
    case failure(Int32)
    /// The kernel lost messages.
    case overrun
    /// A type or family that does not matter here.
    case other(UInt16)

    /// - Throws: When the payload does not hold what its type demands.
    init(_ message: NetlinkMessage) throws(NetlinkFault) {
        let payload = message.payload
        switch message.type {
        case 2: self = .failure(try Self.errorNumber(payload))
        case 3:
            // Older kernels send no number, or zero.
            let code = payload.isEmpty ? 0 : try Self.errorNumber(payload)
            self = code == 0 ? .done : .failure(code)
        case 4: self = .overrun
        case 16: self = try LinkRecord(payload).map(Self.link) ?? .other(message.type)
        case 17: self = try LinkRecord(payload).map { .linkGone($0.index) } ?? .other(message.type)
        case 20: self = try AddressRecord(payload).map(Self.address) ?? .other(message.type)
        case 21: self = try AddressRecord(payload).map(Self.addressGone) ?? .other(message.type)
        case 24: self = try RouteRecord(payload).map(Self.route) ?? .other(message.type)
        case 25: self = try RouteRecord(payload).map(Self.routeGone) ?? .other(message.type)
        default: self = .other(message.type)
        }
    }

    /// Errors travel negated.
    private static func errorNumber(_ payload: ArraySlice<UInt8>) throws(NetlinkFault) -> Int32 {
        let code = try payload.integer(at: 0, of: Int32.self, in: "an error message")
        return code == .min ? .max : abs(code)
    }
}

/// A network interface.
struct LinkRecord: Sendable, Hashable {
    let index: Int32
    /// Brought up by the administrator, and its carrier is there (`IFF_UP` and `IFF_RUNNING`).
    let isUp: Bool
    let isLoopback: Bool

    init(index: Int32, isUp: Bool, isLoopback: Bool) {
        self.index = index
        self.isUp = isUp
        self.isLoopback = isLoopback
    }

    /// Reads an `ifinfomsg`.
    ///
    /// - Returns: `nil` for what a bridge tells about its ports, which looks like a link.
    init?(_ payload: ArraySlice<UInt8>) throws(NetlinkFault) {
        let family = try payload.integer(at: 0, of: UInt8.self, in: "a link")
        let index = try payload.integer(at: 4, of: Int32.self, in: "a link")
        let flags = try payload.integer(at: 8, of: UInt32.self, in: "a link")
        _ = try payload.integer(at: 12, of: UInt32.self, in: "a link")
        guard family == 0 else { return nil }
        guard index > 0 else { throw .wrongValue(what: "the index of a link", value: Int(index)) }
        self.init(index: index, isUp: flags & 0x41 == 0x41, isLoopback: flags & 0x8 != 0)
    }
}

/// An address of an interface.
struct AddressRecord: Sendable, Hashable {
    let link: Int32
    let address: IPAddress
    /// Others beyond the link can answer to it, and it is no longer being probed for duplicates.
    let isUsable: Bool

    init(link: Int32, address: IPAddress, isUsable: Bool) {
        self.link = link
        self.address = address
        self.isUsable = isUsable
    }

    /// Reads an `ifaddrmsg` and its attributes.
    ///
    /// - Returns: `nil` for a family other than IPv4 and IPv6.
    init?(_ payload: ArraySlice<UInt8>) throws(NetlinkFault) {
        let family = try payload.integer(at: 0, of: UInt8.self, in: "an address")
        var flags = UInt32(try payload.integer(at: 2, of: UInt8.self, in: "an address"))
        let scope = try payload.integer(at: 3, of: UInt8.self, in: "an address")
        let link = try payload.integer(at: 4, of: Int32.self, in: "an address")
        guard let family = IPAddress.Family(rawValue: family) else { return nil }
        var (own, peer): (ArraySlice<UInt8>?, ArraySlice<UInt8>?)
        for attribute in try NetlinkAttribute.all(in: payload.dropFirst(8)) {
            switch attribute.type {
            case 1: peer = attribute.value
            case 2: own = attribute.value
            case 8: flags = try attribute.value.integer(at: 0, of: UInt32.self, in: "the flags of an address")
            default: break
            }
        }
        let bytes = own ?? peer ?? []
        guard let address = IPAddress(family, bytes) else {
            throw .wrongValue(what: "the length of an address", value: bytes.count)
        }
        // RT_SCOPE_LINK is 253; IFA_F_DADFAILED 0x08, IFA_F_TENTATIVE 0x40, IFA_F_OPTIMISTIC 0x04.
        let isProbed = flags & 0x40 != 0 && flags & 0x04 == 0
        self.init(
            link: link, address: address,
            isUsable: scope < 253 && flags & 0x08 == 0 && !isProbed && !address.isLinkLocal && !address.isLoopback)
    }
}
