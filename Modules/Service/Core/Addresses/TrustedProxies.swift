import StrataHTTP
public import StrataSystem

/// The proxies in front of a service, whose forwarding header fields are trusted.
public struct TrustedProxies: Sendable, Hashable {
    /// No proxy is trusted.
    public static let none = TrustedProxies(blocks: [], trustsLocalSockets: false)

    let blocks: [AddressBlock]
    /// Whether peers on a Unix-domain socket, which have no address, are trusted.
    let trustsLocalSockets: Bool

    /// - Parameter text: Addresses and blocks, separated by commas; `unix` means peers on a Unix-domain socket. Empty text
    ///   means no proxy.
    /// - Throws: For the first part that is neither.
    public init(_ text: String) throws(AddressBlockError) {
        var blocks: [AddressBlock] = []
        var trustsLocalSockets = false
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
        for part in parts where parts.count > 1 || !part.isEmpty {
            if part == "unix" { trustsLocalSockets = true } else { blocks.append(try AddressBlock(part)) }
        }
        self.init(blocks: blocks, trustsLocalSockets: trustsLocalSockets)
    }

    private init(blocks: [AddressBlock], trustsLocalSockets: Bool) {
        (self.blocks, self.trustsLocalSockets) = (blocks, trustsLocalSockets)
    }

    /// Whether nothing is trusted.
    public var isEmpty: Bool { blocks.isEmpty && !trustsLocalSockets }

    /// Whether the address is that of a trusted proxy.
    public func contains(_ address: IPAddress) -> Bool { blocks.contains { $0.contains(address) } }

    /// Whether a connection comes from a proxy.
    ///
    /// - Parameter peer: The address as the socket has it; empty for a peer on a Unix-domain socket.
    public func contains(peer: String) -> Bool {
        if peer.isEmpty { return trustsLocalSockets }
        guard !blocks.isEmpty, let address = IPAddress(peer.prefix { $0 != "%" }) else { return false }
        return contains(address)
    }
}
