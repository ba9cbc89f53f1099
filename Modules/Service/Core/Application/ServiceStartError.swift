import NIOCore
import StrataSystem

/// Why a service cannot listen.
public enum ServiceStartError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another process listens there.
    case portBusy(host: String, port: Int)
    /// The process may not listen there, as for a port below 1024.
    case notPermitted(host: String, port: Int)
    /// The machine does not have the address, or cannot use it.
    case addressUnavailable(host: String, port: Int, reason: String)

    public var description: String {
        switch self {
        case .portBusy(let host, let port):
            "Something else listens at \(host):\(port); stop it, or choose another port (0 takes a free one)."
        case .notPermitted(let host, let port):
            "Listening at \(host):\(port) is not permitted; ports below 1024 need a privilege."
        case .addressUnavailable(let host, let port, let reason):
            "Cannot listen at \(host):\(port): \(reason). Choose an address of this machine."
        }
    }

    /// - Returns: `nil` for any other error.
    init?(_ error: any Error, host: String, port: Int) {
        switch error {
        case let error as IOError where error.errnoCode == EADDRINUSE: self = .portBusy(host: host, port: port)
        case let error as IOError where error.errnoCode == EACCES: self = .notPermitted(host: host, port: port)
        case let error as IOError where error.errnoCode == EADDRNOTAVAIL:
            self = .addressUnavailable(host: host, port: port, reason: "no interface has this address")
        case is SocketAddressError.UnknownHost:
            self = .addressUnavailable(host: host, port: port, reason: "the name has no address")
        case let error as SocketAddressError:
            self = .addressUnavailable(host: host, port: port, reason: "\(error)")
        default: return nil
        }
    }
}
