/// Requests for the kernel's tables.
enum RouteRequest: UInt16, Sendable, CaseIterable {
    case links = 18
    case addresses = 22
    case routes = 26

    /// A request for all entries, `NLM_F_REQUEST | NLM_F_DUMP`; an empty payload asks for every family.
    func datagram(sequence: UInt32) -> [UInt8] {
        let payload =
            switch self {
            case .links: 16
            case .addresses: 8
            case .routes: 12
            }
        var bytes: [UInt8] = []
        bytes.append(UInt32(NetlinkMessage.headerBytes + payload))
        bytes.append(rawValue)
        bytes.append(UInt16(0x301))
        bytes.append(sequence)
        bytes.append(UInt32(0))
        return bytes + [UInt8](repeating: 0, count: payload)
    }
}

extension [UInt8] {
    /// Adds `integer` in the byte order of the machine.
    mutating func append(_ integer: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: integer) { append(contentsOf: $0) }
    }
}

/// Collects the answer to one request, datagram by datagram.
struct RouteDump: Sendable {
    private(set) var table: RouteTable
    /// Whether something changed while it was written, so that it may be of two minds.
    private(set) var isInterrupted = false

    init(_ reach: Reach) { table = RouteTable(reach) }

    /// Adds what `datagram` says. Messages with another sequence number answer another request.
    ///
    /// - Returns: Whether more is to come.
    /// - Throws: When it cannot be read, or the kernel refuses.
    mutating func take(_ datagram: [UInt8], sequence: UInt32) throws(NetlinkFault) -> Bool {
        for message in try NetlinkMessage.all(in: datagram) where message.sequence == sequence {
            if message.flags & NetlinkMessage.interrupted != 0 { isInterrupted = true }
            switch try RouteMessage(message) {
            case .done: return false
            case .failure(let code) where code != 0: throw .refused(code)
            case .overrun: isInterrupted = true
            case let record: table.add(record)
            }
        }
        return true
    }
}
