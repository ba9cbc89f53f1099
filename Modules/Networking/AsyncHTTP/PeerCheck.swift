import NIOCore
import StrataDomain
import StrataSystem

/// Refuses a connection whose peer the transport must not reach, before a byte of a request is sent.
///
/// A name may lead to another address each time it is resolved, so the address that counts is the peer of the connection itself.
enum PeerCheck {
    /// - Parameter admits: `nil` for every address.
    /// - Returns: Why `connection` must not be used; `nil` when it may.
    static func refusal(of connection: any Channel, _ admits: AsyncHTTPTransport.AdmitsAddress?) -> NetworkError? {
        guard let admits else { return nil }
        guard let text = connection.remoteAddress?.ipAddress, let address = IPAddress(text.prefix { $0 != "%" }) else {
            return NetworkError(.invalidRequest("the peer of the connection has no address"))
        }
        guard !admits(address) else { return nil }
        return NetworkError(.invalidRequest("the host leads to \(address), to which this client must not connect"))
    }
}
