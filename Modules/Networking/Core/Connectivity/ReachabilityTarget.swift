import StrataSystem

/// What must be reachable for this host to count as online.
///
/// The address of a server with a name is not known before a request resolves it, so a name needs a route to the internet. In a
/// network without one, name the server by its address, or let responses prove that it is reached (`ConnectivityTracker`).
enum ReachabilityTarget: Sendable, Hashable {
    /// Any address of the internet.
    case internet
    case address(IPAddress)
    /// A server on this machine: always reached.
    case thisHost

    /// The target of requests to `origin`: an address, this host for `127.0.0.0/8`, `::1` and `localhost` (RFC 6761, section
    /// 6.3), else the internet.
    init(_ origin: Origin) {
        let host = origin.host
        if let address = IPAddress(host) {
            self = address.isLoopback ? .thisHost : .address(address)
        } else {
            self = host == "localhost" || host.hasSuffix(".localhost") ? .thisHost : .internet
        }
    }
}

extension Origin {
    /// Whether it is a server on this machine: `127.0.0.0/8`, `::1` or `localhost`.
    package var isThisHost: Bool { ReachabilityTarget(self) == .thisHost }
}
