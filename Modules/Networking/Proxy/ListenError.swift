import NIOCore
import StrataSystem

/// Why an address cannot be listened on, in a sentence.
public struct ListenError: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ error: any Error, host: String, port: Int) {
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let code = (error as? IOError)?.errnoCode
        description =
            switch code {
            case EADDRINUSE: "\(place) is in use already. Choose another port, or 0 for a free one."
            case EADDRNOTAVAIL: "\(host) is no address of this machine. Use 127.0.0.1, or 0.0.0.0 for all."
            case EACCES, EPERM: "This user may not listen on \(place). Use a port above 1023."
            case let code?: "\(place) cannot be listened on: \(String(cString: strerror(code)))."
            case nil: "'\(host)' cannot be listened on. Use an address of this machine, such as 127.0.0.1."
            }
    }
}
