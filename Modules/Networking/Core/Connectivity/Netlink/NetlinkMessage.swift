/// One message of a netlink datagram (netlink(7)); integers are in the byte order of the machine.
struct NetlinkMessage: Sendable, Hashable {
    static let headerBytes = 16
    /// `NLM_F_DUMP_INTR`: what is dumped changed meanwhile.
    static let interrupted: UInt16 = 0x10

    let type: UInt16
    let flags: UInt16
    let sequence: UInt32
    let payload: ArraySlice<UInt8>

    /// The messages of one datagram, in order.
    ///
    /// - Throws: For a header or length that does not fit; what came before it is not returned either.
    static func all(in datagram: [UInt8]) throws(NetlinkFault) -> [NetlinkMessage] {
        var messages: [NetlinkMessage] = []
        var rest = datagram[...]
        while !rest.isEmpty {
            let length = Int(clamping: try rest.integer(at: 0, of: UInt32.self, in: "a netlink header"))
            let type = try rest.integer(at: 4, of: UInt16.self, in: "a netlink header")
            let flags = try rest.integer(at: 6, of: UInt16.self, in: "a netlink header")
            let sequence = try rest.integer(at: 8, of: UInt32.self, in: "a netlink header")
            guard length >= headerBytes, length <= rest.count else {
                throw .wrongLength(what: "a netlink message", length: length, available: rest.count)
            }
            let payload = rest.dropFirst(headerBytes).prefix(length - headerBytes)
            messages.append(NetlinkMessage(type: type, flags: flags, sequence: sequence, payload: payload))
            rest = rest.dropFirst(length.alignedToFour)
        }
        return messages
    }
}

/// A typed value inside a message (rtnetlink(7)).
struct NetlinkAttribute: Sendable, Hashable {
    private static let headerBytes = 4

    /// Without the flags in its upper two bits.
    let type: UInt16
    let value: ArraySlice<UInt8>

    /// - Throws: For a length that does not fit. Fewer bytes than a header at the end are padding.
    static func all(in bytes: ArraySlice<UInt8>) throws(NetlinkFault) -> [NetlinkAttribute] {
        var attributes: [NetlinkAttribute] = []
        var rest = bytes
        while rest.count >= headerBytes {
            let length = Int(try rest.integer(at: 0, of: UInt16.self, in: "an attribute"))
            let type = try rest.integer(at: 2, of: UInt16.self, in: "an attribute")
            guard length >= headerBytes, length <= rest.count else {
                throw .wrongLength(what: "attribute \(type & 0x3FFF)", length: length, available: rest.count)
            }
            attributes.append(
                NetlinkAttribute(type: type & 0x3FFF, value: rest.dropFirst(headerBytes).prefix(length - headerBytes)))
            rest = rest.dropFirst(length.alignedToFour)
        }
        return attributes
    }
}

extension ArraySlice<UInt8> {
    /// The integer `offset` bytes from the start.
    ///
    /// - Throws: `.truncated`, naming `what`, when it is not all there.
    func integer<Integer: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, of type: Integer.Type, in what: String
    ) throws(NetlinkFault) -> Integer {
        let needed = offset + MemoryLayout<Integer>.size
        guard offset >= 0, needed <= count else {
            throw .truncated(what: what, needed: needed, available: count)
        }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Integer.self) }
    }
}

extension Int {
    /// The next multiple of four: where the following message or attribute begins.
    var alignedToFour: Int { (self + 3) & ~3 }
}
