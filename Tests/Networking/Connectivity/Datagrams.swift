@testable import StrataNetworking

/// Writes what the kernel would write.
enum Datagram {
    static func message(
        _ type: UInt16, flags: UInt16 = 0x2, sequence: UInt32 = 0, length: UInt32? = nil, _ payload: [UInt8] = []
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(length ?? UInt32(16 + payload.count))
        bytes.append(type)
        bytes.append(flags)
        bytes.append(sequence)
        bytes.append(UInt32(0))
        bytes += payload
        return bytes.padded
    }

    static func attribute(_ type: UInt16, _ value: [UInt8], length: UInt16? = nil) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(length ?? UInt16(4 + value.count))
        bytes.append(type)
        return (bytes + value).padded
    }

    static func number(_ value: some FixedWidthInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(value)
        return bytes
    }

    /// An `ifinfomsg` with a name.
    static func link(_ index: Int32, flags: UInt32 = 0x41, family: UInt8 = 0) -> [UInt8] {
        [family, 0] + number(UInt16(1)) + number(index) + number(flags) + number(UInt32(0))
            + attribute(3, Array("eth0\0".utf8))
    }

    /// An `ifaddrmsg`.
    static func address(
        _ link: Int32, _ text: String, scope: UInt8 = 0, flags: UInt8 = 0, longFlags: UInt32? = nil
    ) -> [UInt8] {
        guard let address = IPAddress(text) else { return [] }
        return [address.family.rawValue, 24, flags, scope] + number(link) + attribute(1, address.bytes)
            + (longFlags.map { attribute(8, number($0)) } ?? [])
    }

    /// An `rtmsg`.
    static func route(
        _ to: String = "0.0.0.0", prefix: UInt8 = 0, link: Int32? = 2, table: UInt8 = 254, type: UInt8 = 1,
        flags: UInt32 = 0, source: UInt8 = 0, extra: [UInt8] = []
    ) -> [UInt8] {
        guard let address = IPAddress(to) else { return [] }
        return [address.family.rawValue, prefix, source, 0, table, 2, 0, type] + number(flags)
            + (prefix > 0 ? attribute(1, address.bytes) : []) + (link.map { attribute(4, number($0)) } ?? []) + extra
    }

    /// An `rtnexthop`.
    static func nextHop(_ link: Int32, flags: UInt8 = 0, length: UInt16 = 16) -> [UInt8] {
        number(length) + [flags, 0] + number(link) + attribute(5, [10, 0, 0, 1])
    }

    /// The end of a dump.
    static func done(sequence: UInt32, code: Int32 = 0) -> [UInt8] {
        message(3, sequence: sequence, number(code))
    }
}

extension [UInt8] {
    fileprivate var padded: [UInt8] { self + [UInt8](repeating: 0, count: count.alignedToFour - count) }
}
